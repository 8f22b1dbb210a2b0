//! The groups of tags in which a reader finds operations (`x-tagGroups`).

use serde_json::{Value, json};

use super::Language;

/// Tags that belong together.
pub(crate) struct TagGroup {
    /// In English and Spanish.
    pub(crate) title: [&'static str; 2],
    pub(crate) tags: &'static [NamedTag],
}

/// A tag with the name that a reader sees, in each language.
pub(crate) struct NamedTag {
    pub(crate) tag: &'static str,
    pub(crate) title: [&'static str; 2],
}

const fn named(tag: &'static str, english: &'static str, spanish: &'static str) -> NamedTag {
    NamedTag { tag, title: [english, spanish] }
}

/// The groups in the order in which a reader meets them.
pub(crate) const TAG_GROUPS: &[TagGroup] = &[
    TagGroup {
        title: ["Sales", "Ventas"],
        tags: &[
            named("ventas", "Sales documents", "Documentos de venta"),
            named("ventas-renglones", "Lines of sales", "Renglones de venta"),
            named("facturas", "Tax invoices", "Facturas"),
        ],
    },
    TagGroup {
        title: ["Customers", "Clientes"],
        tags: &[
            named("clientes", "Customers", "Clientes"),
            named("leads", "Leads", "Prospectos"),
            named("oportunidades", "Opportunities", "Oportunidades"),
            named("etapas-oportunidad", "Stages of opportunities", "Etapas de oportunidad"),
            named("motivos-perdida", "Reasons of losses", "Motivos de pérdida"),
            named("vendedores", "Salespeople", "Vendedores"),
        ],
    },
    TagGroup {
        title: ["Catalogue and stock", "Catálogo e inventario"],
        tags: &[
            named("productos", "Products", "Productos"),
            named("precios", "Prices", "Precios"),
            named("marcas", "Brands", "Marcas"),
            named("categorias", "Categories", "Categorías"),
            named("unidades", "Units", "Unidades"),
            named("inventario", "Stock", "Existencias"),
            named("movimientos-inventario", "Movements of stock", "Movimientos de inventario"),
            named("almacenes", "Warehouses", "Almacenes"),
            named("sucursales", "Branches", "Sucursales"),
        ],
    },
    TagGroup {
        title: ["Money and purchases", "Dinero y compras"],
        tags: &[
            named("cxc", "Receivables", "Cuentas por cobrar"),
            named("cxc-pagos", "Payments", "Pagos"),
            named("cuentas-bancarias", "Bank accounts", "Cuentas bancarias"),
            named("proveedores", "Suppliers", "Proveedores"),
            named("compras", "Purchase orders", "Órdenes de compra"),
            named("compras-renglones", "Lines of purchases", "Renglones de compra"),
            named("cxp", "Payables", "Cuentas por pagar"),
        ],
    },
    TagGroup {
        title: ["Webhooks and events", "Webhooks y eventos"],
        tags: &[named("webhooks", "Webhooks", "Webhooks"), named("eventos", "Events", "Eventos")],
    },
    TagGroup { title: ["Service", "Servicio"], tags: &[named("health", "Health", "Estado")] },
];

/// The name that a reader sees of a tag, unless it is a host's own.
pub(super) fn title(tag: &str, language: Language) -> Option<&'static str> {
    let all = TAG_GROUPS.iter().flat_map(|group| group.tags);
    all.into_iter().find(|named| named.tag == tag).map(|named| named.title[language as usize])
}

/// The groups of a document's tags; those of a host come last, under `own`.
pub(super) fn groups(tags: &Value, language: Language, own: &str) -> Value {
    let tags: Vec<&str> = tags.as_array().into_iter().flatten().filter_map(|tag| tag["name"].as_str()).collect();
    let mut groups: Vec<Value> = Vec::new();
    for group in TAG_GROUPS {
        let found: Vec<_> = group.tags.iter().map(|named| named.tag).filter(|tag| tags.contains(tag)).collect();
        if !found.is_empty() {
            groups.push(json!({ "name": group.title[language as usize], "tags": found }));
        }
    }
    let others: Vec<_> = tags.iter().filter(|tag| title(tag, language).is_none()).collect();
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
            let mut grouped: Vec<&str> =
                TAG_GROUPS.iter().flat_map(|group| group.tags).map(|named| named.tag).collect();
            assert_eq!(grouped.len(), tags.len());
            grouped.retain(|tag| !tags.contains(tag));
            assert_eq!(grouped, [""; 0]);
            assert_eq!(document["x-tagGroups"].as_array().unwrap().len(), TAG_GROUPS.len());
        }
        let own = groups(&json!([{ "name": "ventas" }, { "name": "rutas" }]), Language::English, "Ours");
        assert_eq!(own, json!([{ "name": "Sales", "tags": ["ventas"] }, { "name": "Ours", "tags": ["rutas"] }]));
    }
}
