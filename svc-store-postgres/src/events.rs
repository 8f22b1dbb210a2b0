//! The events of a transaction. One statement writes all of them, if possible together with the
//! answer to the request.

use svc_core::domain::event::min_clave;
use svc_core::store::NewEvent;

/// Events that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct Unwritten {
    pub(crate) single: Vec<NewEvent>,
    pub(crate) grouped: Vec<NewEvent>,
}

impl Unwritten {
    pub(crate) fn is_empty(&self) -> bool {
        self.single.is_empty() && self.grouped.is_empty()
    }

    /// The clave before the lowest that all single events may have.
    pub(crate) fn clave_before(&self) -> i64 {
        self.single.iter().map(|event| min_clave(event.creado.get()) - 1).max().unwrap_or_default()
    }
}

/// A statement as by `sql!` that first writes events.
///
/// ```text
/// with_events!(
///     "UPDATE clientes
///      SET proximo_contacto = :dia
///      WHERE empresa = :empresa AND clave = :clave",
///     empresa: self.empresa,
///     dia,
///     clave;
///     events
/// )
/// ```
macro_rules! with_events {
    ($text:literal, $($name:ident: $value:expr),*; $events:expr) => {{
        let anterior = $events.clave_before();
        let $crate::events::Unwritten { single, grouped } = $events;
        match (&single[..], &grouped[..]) {
            ([], []) => $crate::sql::sql!($text, $($name: $value),*),
            ([event], []) => $crate::sql::sql!(
                concat!("WITH ", $crate::events::next_clave!(), ", ", $crate::events::one_event!(), " ", $text),
                $($name: $value,)*
                anterior;
                from event { id, tipo, permiso, recurso, clave, cuerpo, creado, repartido }
            ),
            (events, []) => $crate::sql::sql!(
                concat!(
                    "WITH ", $crate::events::next_claves!(), ", ",
                    $crate::events::many_events!(), " ", $text
                ),
                $($name: $value,)*
                anterior;
                for event in events {
                    id, tipo, permiso, recurso, clave, cuerpo: &event.cuerpo, creado, repartido,
                }
            ),
            ([], groups) => $crate::sql::sql!(
                concat!("WITH ", $crate::events::grouped_events!(), " ", $text),
                $($name: $value,)*
                quietud: svc_core::webhooks::QUIET,
                espera: svc_core::webhooks::LONGEST_WAIT;
                for event in groups {
                    id_grupo: event.id,
                    tipo_grupo: event.tipo,
                    permiso_grupo: event.permiso,
                    recurso_grupo: event.recurso,
                    clave_grupo: event.clave,
                    cuerpo_grupo: &event.cuerpo,
                    creado_grupo: event.creado,
                }
            ),
            (events, groups) => $crate::sql::sql!(
                concat!(
                    "WITH ", $crate::events::grouped_events!(), ", ",
                    $crate::events::next_claves_after_groups!(),
                    ", ", $crate::events::many_events!(), " ", $text
                ),
                $($name: $value,)*
                anterior,
                quietud: svc_core::webhooks::QUIET,
                espera: svc_core::webhooks::LONGEST_WAIT;
                for event in events {
                    id, tipo, permiso, recurso, clave, cuerpo: &event.cuerpo, creado, repartido,
                }
                for event in groups {
                    id_grupo: event.id,
                    tipo_grupo: event.tipo,
                    permiso_grupo: event.permiso,
                    recurso_grupo: event.recurso,
                    clave_grupo: event.clave,
                    cuerpo_grupo: &event.cuerpo,
                    creado_grupo: event.creado,
                }
            ),
        }
    }};
}

/// Takes the next clave of the company's events. The counter stays locked until the commit, which
/// follows at once: so claves ascend in the order of the commits, and a reader of an event has
/// seen all before it. A transaction that holds it waits for nothing more.
macro_rules! next_clave {
    () => {
        "serie AS (
             INSERT INTO contadores AS c (empresa, serie, valor)
             VALUES (:empresa, 'eventos', :anterior + 1)
             ON CONFLICT (empresa, serie) DO UPDATE SET valor = greatest(c.valor + 1, excluded.valor)
             RETURNING valor
         )"
    };
}

/// Takes the next claves for several events.
macro_rules! next_claves {
    () => {
        "serie AS (
             INSERT INTO contadores AS c (empresa, serie, valor)
             VALUES (:empresa, 'eventos', :anterior + cardinality(:id::uuid[]))
             ON CONFLICT (empresa, serie) DO UPDATE
             SET valor = greatest(c.valor + cardinality(:id::uuid[]), excluded.valor)
             RETURNING valor
         )"
    };
}

/// Takes the next claves once the groups are written, since another transaction may hold those.
macro_rules! next_claves_after_groups {
    () => {
        "serie AS (
             INSERT INTO contadores AS c (empresa, serie, valor)
             SELECT :empresa, 'eventos', :anterior + cardinality(:id::uuid[])
             FROM (SELECT count(*) FROM grupos) g
             ON CONFLICT (empresa, serie) DO UPDATE
             SET valor = greatest(c.valor + cardinality(:id::uuid[]), excluded.valor)
             RETURNING valor
         )"
    };
}

/// Writes one event with the webhooks that are active and subscribed. Most transactions have just
/// one, and values cost PostgreSQL less than arrays.
macro_rules! one_event {
    () => {
        "sueltos AS (
             INSERT INTO eventos (
                 empresa, id, clave, tipo, permiso, recurso, recurso_clave, cuerpo, creado, destinos, repartido
             )
             SELECT :empresa, :id, s.valor, :tipo, :permiso, :recurso, :clave, :cuerpo, :creado, d.destinos,
                    :repartido OR d.destinos = '{}'
             FROM serie s, (
                 SELECT coalesce(array_agg(w.clave), '{}') AS destinos
                 FROM webhooks w
                 WHERE w.empresa = :empresa AND w.activo AND w.eliminado IS NULL AND :tipo = ANY (w.eventos)
             ) d
         )"
    };
}

/// Writes several events. Each array is the result of a subquery, so that the planner does not see
/// its length: it would find a plan for just these events cheaper, and plan each time.
macro_rules! many_events {
    () => {
        "sueltos AS (
             INSERT INTO eventos (
                 empresa, id, clave, tipo, permiso, recurso, recurso_clave, cuerpo, creado, destinos, repartido
             )
             SELECT :empresa, e.id, s.valor - cardinality(:id::uuid[]) + e.lugar, e.tipo, e.permiso, e.recurso, e.clave,
                    e.cuerpo, e.creado, d.destinos, e.repartido OR d.destinos = '{}'
             FROM serie s, unnest(
                 (SELECT :id::uuid[]), (SELECT :tipo::text[]), (SELECT :permiso::text[]), (SELECT :recurso::text[]),
                 (SELECT :clave::bigint[]), (SELECT :cuerpo::bytea[]), (SELECT :creado::timestamptz[]),
                 (SELECT :repartido::boolean[])
             ) WITH ORDINALITY AS e (id, tipo, permiso, recurso, clave, cuerpo, creado, repartido, lugar),
             LATERAL (
                 SELECT coalesce(array_agg(w.clave), '{}') AS destinos
                 FROM webhooks w
                 WHERE w.empresa = :empresa AND w.activo AND w.eliminado IS NULL AND e.tipo = ANY (w.eventos)
             ) d
         )"
    };
}

/// Adds events to groups, in the order of their resources, which all transactions lock in this
/// order. Of several events of one resource the last is written.
macro_rules! grouped_events {
    () => {
        "grupos AS (
             INSERT INTO eventos_agrupados AS g (
                 empresa, tipo, recurso_clave, id, permiso, recurso, cuerpo, primero, vence, limite, destinos
             )
             SELECT DISTINCT ON (e.tipo, e.clave)
                    :empresa, e.tipo, e.clave, e.id, e.permiso, e.recurso, e.cuerpo, e.creado,
                    e.creado + :quietud, e.creado + :espera, d.destinos
             FROM unnest(
                 (SELECT :id_grupo::uuid[]), (SELECT :tipo_grupo::text[]), (SELECT :permiso_grupo::text[]),
                 (SELECT :recurso_grupo::text[]), (SELECT :clave_grupo::bigint[]),
                 (SELECT :cuerpo_grupo::bytea[]), (SELECT :creado_grupo::timestamptz[])
             ) WITH ORDINALITY AS e (id, tipo, permiso, recurso, clave, cuerpo, creado, orden),
             LATERAL (
                 SELECT coalesce(array_agg(w.clave), '{}') AS destinos
                 FROM webhooks w
                 WHERE w.empresa = :empresa AND w.activo AND w.eliminado IS NULL AND e.tipo = ANY (w.eventos)
             ) d
             ORDER BY e.tipo, e.clave, e.orden DESC
             ON CONFLICT (empresa, tipo, recurso_clave) DO UPDATE
             SET id = excluded.id, cuerpo = excluded.cuerpo,
                 vence = least(greatest(g.vence, excluded.vence), coalesce(g.limite, excluded.limite)),
                 destinos = CASE WHEN g.destinos @> excluded.destinos THEN g.destinos
                                 ELSE g.destinos || excluded.destinos END
             RETURNING 1
         )"
    };
}

pub(crate) use {
    grouped_events, many_events, next_clave, next_claves, next_claves_after_groups, one_event, with_events,
};
