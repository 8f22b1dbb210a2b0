//! The groups of tags in which a reader finds operations (`x-tagGroups`).

use serde_json::{Value, json};

use super::Language;

/// Tags that belong together.
pub(crate) struct TagGroup {
    /// In each language.
    pub(crate) title: [&'static str; 2],
    pub(crate) tags: &'static [&'static str],
}

/// The groups in the order in which a reader meets them.
pub(crate) const TAG_GROUPS: &[TagGroup] = &[
    TagGroup { title: ["Sales", "Ventas"], tags: &["ventas", "ventas-renglones", "facturas"] },
    TagGroup {
        title: ["Customers", "Clientes"],
        tags: &["clientes", "leads", "oportunidades", "etapas-oportunidad", "motivos-perdida", "vendedores"],
    },
    TagGroup {
        title: ["Catalogue and stock", "Catálogo e inventario"],
        tags: &[
            "productos",
            "precios",
            "marcas",
            "categorias",
            "unidades",
            "inventario",
            "movimientos-inventario",
            "almacenes",
            "sucursales",
        ],
    },
    TagGroup {
        title: ["Money and purchases", "Dinero y compras"],
        tags: &["cxc", "cxc-pagos", "cuentas-bancarias", "proveedores", "compras", "compras-renglones", "cxp"],
    },
    TagGroup { title: ["Webhooks and events", "Webhooks y eventos"], tags: &["webhooks", "eventos"] },
    TagGroup { title: ["Service", "Servicio"], tags: &["health"] },
];

/// The groups of a document's tags; those of a host come last, under `own`.
pub(super) fn groups(tags: &Value, language: Language, own: &str) -> Value {
    let tags: Vec<&str> = tags.as_array().into_iter().flatten().filter_map(|tag| tag["name"].as_str()).collect();
    let mut groups: Vec<Value> = Vec::new();
    for group in TAG_GROUPS {
        let found: Vec<_> = group.tags.iter().filter(|tag| tags.contains(tag)).collect();
        if !found.is_empty() {
            groups.push(json!({ "name": group.title[language as usize], "tags": found }));
        }
    }
    let others: Vec<_> = tags.iter().filter(|tag| TAG_GROUPS.iter().all(|group| !group.tags.contains(*tag))).collect();
    if !others.is_empty() {
        groups.push(json!({ "name": own, "tags": others }));
    }
    groups.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Registry;

    #[test]
    fn every_tag_is_in_one_group_that_a_reader_knows() {
        for language in Language::ALL {
            let document = Registry::default().openapi(language, "/api/v1");
            let tags: Vec<&str> =
                document["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
            let mut grouped: Vec<&str> = TAG_GROUPS.iter().flat_map(|group| group.tags).copied().collect();
            assert_eq!(grouped.len(), tags.len());
            grouped.retain(|tag| !tags.contains(tag));
            assert_eq!(grouped, [""; 0]);
            assert_eq!(document["x-tagGroups"].as_array().unwrap().len(), TAG_GROUPS.len());
        }
        let own = groups(&json!([{ "name": "ventas" }, { "name": "rutas" }]), Language::English, "Ours");
        assert_eq!(own, json!([{ "name": "Sales", "tags": ["ventas"] }, { "name": "Ours", "tags": ["rutas"] }]));
    }
}
