use svc_core::record::{Kind, Value};

use crate::page::{PageQuery, Source};
use crate::value::push;

pub(super) static PRODUCTS: Source = Source {
    from: &["productos p"],
    alias: "p.",
    // Names are looked up for the rows of the page only; joins would run for all matches before the
    // page is cut.
    columns: &[
        ("clave_padre", "coalesce(p.clave_padre, 0)"),
        ("marca", "(SELECT nombre FROM marcas m WHERE m.empresa = p.empresa AND m.clave = p.marca)"),
        ("categoria", "(SELECT nombre FROM categorias c WHERE c.empresa = p.empresa AND c.clave = p.categoria)"),
        ("clave_marca", "p.marca"),
        ("clave_categoria", "p.categoria"),
    ],
    filters: &[
        // The column is text, but the filter takes a number.
        ("folio", |page, value| {
            if let Value::Integer(folio) = value {
                page.with("p.folio = ", &Value::Text(folio.to_string().into()), "");
            }
        }),
        // Names may repeat (of a deleted category, or elsewhere in the tree): every one with that
        // name matches. A brand comes before it in the list's order, so it always leads.
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

/// Adds all conditions. A brand's or category's name leads to the products: since names may repeat,
/// the products of each matching clave are read from their index, no further than the page can
/// reach. So a name that few products have, or none, is found at once; with a list of claves
/// PostgreSQL might walk the whole catalogue to find one.
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
    let column = if is_brand { "p.marca" } else { "p.categoria" };
    page.clause("WHERE p.empresa = $1 AND ").push(column).push(" BETWEEN n.clave AND n.clave");
    let others = query.conditions.iter().filter(|condition| condition.filter.name != leading.filter.name);
    others.for_each(|condition| page.condition(condition));
    page.hide("p.");
    page.and().push("p.clave > ").push_bind(query.after.unwrap_or(i64::MIN));
    page.clause("ORDER BY ").push(column).push(", p.clave");
    page.clause("LIMIT ").push_bind(i64::from(query.limit) + 1);
    page.close(") f");
    push(page.clause("WHERE n.empresa = $1 AND n.nombre = "), &leading.value, Kind::Text);
    page.close("))");
}
