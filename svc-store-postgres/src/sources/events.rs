use svc_core::domain::event::min_clave;
use svc_core::record::event::{PERMITTED, READABLE};
use svc_core::record::{Kind, Value};

use crate::page::{PageQuery, Source};
use crate::value::push;

pub(super) static EVENTS: Source = Source {
    columns: &[
        ("datos", "(convert_from(cuerpo, 'UTF8')::json -> 'datos')::text"),
        ("recurso", "(convert_from(cuerpo, 'UTF8')::json -> 'recurso')::text"),
    ],
    // A test is no event of the company.
    always: Some("tipo <> 'webhook.prueba'"),
    filters: &[("creado_desde", since), (READABLE.name, of_kinds), (PERMITTED.name, permitted)],
    ..Source::PLAIN
};

/// Claves ascend with time, apart from the moments between an event and its commit.
fn since(page: &mut PageQuery<'_>, since: &Value<'_>) {
    if let Value::Instant(since) = since {
        page.with("clave >= ", &Value::Integer(min_clave(*since)), "");
    }
    page.with("creado >= ", since, "");
}

/// Matches the events of Svc's kinds, and of the others those that one of these scopes reads.
fn permitted(page: &mut PageQuery<'_>, scopes: &Value<'_>) {
    page.with("(permiso IS NULL OR permiso = ANY (", scopes, "))");
}

/// Matches the next events of each kind: each is read from its index no further than the page can
/// reach, however many events of other kinds lie between.
fn of_kinds(page: &mut PageQuery<'_>, kinds: &Value<'_>) {
    if page.query().has(&["clave"]) {
        return page.with("tipo = ANY (", kinds, ")");
    }
    page.and();
    page.open("clave = ANY (ARRAY(");
    page.clause("SELECT k.clave");
    push(page.clause("FROM unnest("), kinds, Kind::Texts);
    page.sql().push("::text[]) t (tipo)");
    page.clause("");
    page.open("CROSS JOIN LATERAL (");
    page.clause("SELECT i.clave");
    page.clause("FROM eventos i");
    page.clause("WHERE i.empresa = $1 AND i.tipo BETWEEN t.tipo AND t.tipo");
    if let Some(since) = page.query().instant("creado_desde") {
        page.with("i.clave >= ", &Value::Integer(min_clave(since)), "");
        page.with("i.creado >= ", &Value::Instant(since), "");
    }
    page.after_cursor("i.");
    page.clause("ORDER BY i.tipo, i.clave");
    page.limit();
    page.close(") k");
    page.close("))");
}
