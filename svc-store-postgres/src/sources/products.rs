use svc_core::record::{Kind, Value};

use crate::page::{PageQuery, Source};
use crate::value::push;

pub(super) static PRODUCTS: Source = Source {
    from: &["productos p"],
    alias: "p.",
    // Names are looked up for the rows of the page: joins would be made for all that match before
    // the page is cut.
    columns: &[
        ("clave_padre", "coalesce(p.clave_padre, 0)"),
        ("marca", "(SELECT nombre FROM marcas m WHERE m.empresa = p.empresa AND m.clave = p.marca)"),
        ("categoria", "(SELECT nombre FROM categorias c WHERE c.empresa = p.empresa AND c.clave = p.categoria)"),
    ],
    filters: &[
        // The column is text; the filter takes a number.
        ("folio", |page, value| {
            if let Value::Integer(folio) = value {
                page.with("p.folio = ", &Value::Text(folio.to_string().into()), "");
            }
        }),
        // Names may repeat (a deleted brand's, a category's elsewhere in the tree): all that bear
        // it match.
        ("marca", |page, nombre| {
            page.with("p.marca = ANY (ARRAY(SELECT clave FROM marcas WHERE empresa = $1 AND nombre = ", nombre, "))");
        }),
        ("categoria", |page, nombre| {
            page.with(
                "p.categoria = ANY (ARRAY(SELECT clave FROM categorias WHERE empresa = $1 AND nombre = ",
                nombre,
                "))",
            );
        }),
        ("sku_padre", |page, sku| {
            page.with(
                "p.clave_padre = ANY (ARRAY(SELECT clave FROM productos WHERE empresa = $1 AND sku = ",
                sku,
                "))",
            );
        }),
    ],
    conditions: Some(conditions),
    ..Source::PLAIN
};

/// All conditions. If one is a brand or category by its name, that leads to the products: names may
/// repeat, so the products of each clave that bears it are read from their index, no further than
/// the page can reach. So a name that few bear, or none, is found at once, where a list of claves
/// would have the database walk the whole catalogue to meet one of them.
fn conditions(page: &mut PageQuery<'_>) {
    let query = page.query();
    let leads = |name: &str| matches!(name, "marca" | "categoria");
    let leading = query.conditions.iter().find(|condition| leads(condition.filter.name));
    let Some(leading) = leading else {
        return query.conditions.iter().for_each(|condition| page.condition(condition));
    };
    let is_brand = leading.filter.name == "marca";
    page.and();
    page.open("p.clave = ANY (ARRAY(");
    page.clause("SELECT f.clave");
    page.clause(if is_brand { "FROM marcas n" } else { "FROM categorias n" });
    page.clause("");
    page.open("CROSS JOIN LATERAL (");
    page.clause("SELECT p.clave");
    page.clause("FROM productos p");
    page.clause("WHERE p.empresa = $1 AND ").push(if is_brand { "p.marca = n.clave" } else { "p.categoria = n.clave" });
    let others = query.conditions.iter().filter(|condition| condition.filter.name != leading.filter.name);
    others.for_each(|condition| page.condition(condition));
    page.hide("p.");
    page.and().push("p.clave > ").push_bind(query.after.unwrap_or(i64::MIN));
    page.clause("ORDER BY p.clave");
    page.clause("LIMIT ").push_bind(i64::from(query.limit) + 1);
    page.close(") f");
    push(page.clause("WHERE n.empresa = $1 AND n.nombre = "), &leading.value, Kind::Text);
    page.close("))");
}
