//! The events of a transaction, and what writes them: one statement, and one way to the database,
//! for all of them.

use sqlx::postgres::PgArguments;
use sqlx::{Arguments as _, Encode, Postgres, QueryBuilder, Type};
use svc_core::store::{NewEvent, StoreError};
use svc_core::webhooks::{LONGEST_WAIT, QUIET};

/// The events of a transaction that are still to be written.
#[derive(Debug, Default)]
pub(crate) struct Unwritten {
    pub(crate) single: Vec<NewEvent>,
    pub(crate) grouped: Vec<NewEvent>,
}

/// The webhooks of `$1` that are active and subscribed to the event `e`.
const SUBSCRIBED: &str = "LATERAL (SELECT coalesce(array_agg(w.clave), '{}') AS destinos FROM webhooks w
              WHERE w.empresa = $1 AND w.activo AND w.eliminado IS NULL
                AND e.tipo = ANY (w.eventos)) AS d";

impl Unwritten {
    pub(crate) fn is_empty(&self) -> bool {
        self.single.is_empty() && self.grouped.is_empty()
    }

    /// A statement that begins with the writing of the events, if there are any; `$1` is the
    /// company.
    pub(crate) fn statement(self, empresa: i64) -> Result<QueryBuilder<Postgres>, StoreError> {
        let mut arguments = PgArguments::default();
        arguments.add(empresa).map_err(StoreError::Other)?;
        let mut sql = QueryBuilder::with_arguments("", arguments);
        let Self { single, grouped } = self;
        if !single.is_empty() {
            append(sql.push("WITH sueltos AS ("), &single);
            sql.push(") ");
        }
        if !grouped.is_empty() {
            group(sql.push(if single.is_empty() { "WITH grupos AS (" } else { ", grupos AS (" }), &grouped);
            sql.push(") ");
        }
        Ok(sql)
    }
}

fn append(sql: &mut QueryBuilder<Postgres>, events: &[NewEvent]) {
    sql.push(
        "INSERT INTO eventos (empresa, id, tipo, recurso, recurso_clave, cuerpo, creado, destinos, repartido)
         SELECT $1, e.id, e.tipo, e.recurso, e.clave, e.cuerpo, e.creado, d.destinos, e.repartido OR d.destinos = '{}'
         FROM ",
    );
    if let [event] = events {
        push_row(sql, event);
    } else {
        push_columns(sql.push("unnest("), events);
        push_array(sql.push(", "), events, |event| event.repartido);
        sql.push(")");
    }
    sql.push(" AS e (id, tipo, recurso, clave, cuerpo, creado, repartido), ").push(SUBSCRIBED);
}

/// One event, as most transactions have: it costs PostgreSQL less than arrays do.
fn push_row(sql: &mut QueryBuilder<Postgres>, event: &NewEvent) {
    sql.push("(VALUES (").push_bind(event.id).push(", ").push_bind(event.tipo).push(", ").push_bind(event.recurso);
    sql.push(", ").push_bind(event.clave).push(", ").push_bind(event.cuerpo.clone());
    sql.push(", ").push_bind(event.creado.get()).push(", ").push_bind(event.repartido).push("))");
}

/// In the order of their resources, as everyone locks them; of several of one resource the last.
fn group(sql: &mut QueryBuilder<Postgres>, events: &[NewEvent]) {
    sql.push(
        "INSERT INTO eventos_agrupados AS g
             (empresa, tipo, recurso_clave, id, recurso, cuerpo, primero, vence, limite, destinos)
         SELECT DISTINCT ON (e.tipo, e.clave) $1, e.tipo, e.clave, e.id, e.recurso, e.cuerpo, e.creado, e.creado + ",
    );
    sql.push_bind(QUIET);
    sql.push(", e.creado + ").push_bind(LONGEST_WAIT).push(", d.destinos FROM unnest(");
    push_columns(sql, events);
    sql.push(") WITH ORDINALITY AS e (id, tipo, recurso, clave, cuerpo, creado, n), ").push(SUBSCRIBED).push(
        " ORDER BY e.tipo, e.clave, e.n DESC
         ON CONFLICT (empresa, tipo, recurso_clave) DO UPDATE SET
             id = excluded.id, cuerpo = excluded.cuerpo,
             vence = least(greatest(g.vence, excluded.vence), coalesce(g.limite, excluded.limite)),
             destinos = CASE WHEN g.destinos @> excluded.destinos THEN g.destinos
                             ELSE g.destinos || excluded.destinos END",
    );
}

/// Id, type, resource, clave, body and time of each, as arrays.
fn push_columns(sql: &mut QueryBuilder<Postgres>, events: &[NewEvent]) {
    push_array(sql, events, |event| event.id);
    push_array(sql.push(", "), events, |event| event.tipo);
    push_array(sql.push(", "), events, |event| event.recurso);
    push_array(sql.push(", "), events, |event| event.clave);
    push_array(sql.push(", "), events, |event| event.cuerpo.clone());
    push_array(sql.push(", "), events, |event| event.creado.get());
}

/// An array that the planner sees no length of: else it would find that a plan for just these
/// events is cheaper, and make one each time.
fn push_array<T>(sql: &mut QueryBuilder<Postgres>, events: &[NewEvent], value: impl Fn(&NewEvent) -> T)
where
    Vec<T>: for<'q> Encode<'q, Postgres> + Type<Postgres>,
{
    sql.push("(SELECT ").push_bind(events.iter().map(value).collect::<Vec<_>>()).push(")");
}
