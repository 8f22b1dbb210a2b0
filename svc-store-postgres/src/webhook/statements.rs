//! The statements of deliveries.

use chrono::{DateTime, Utc};
use svc_core::domain::event::{CREADO, min_clave};
use svc_core::domain::time::Timestamp;
use svc_core::domain::webhook::DeliveryStatus;
use svc_core::store::{AttemptRecord, DeliveryClaim, NewDeliveries};

use crate::sql::{Sql, sql};

/// A group that changes meanwhile is locked, or no longer due. A later event starts a new group.
pub(super) fn gather(empresa: i64, now: Timestamp, max: u32) -> Sql {
    sql!(
        "WITH vencidos AS MATERIALIZED (
             SELECT tipo, recurso_clave
             FROM eventos_agrupados
             WHERE empresa = :empresa AND vence <= :ahora
             ORDER BY vence
             LIMIT :max
             FOR UPDATE SKIP LOCKED
         ), idos AS (
             DELETE FROM eventos_agrupados g
             USING vencidos v
             WHERE g.empresa = :empresa AND (g.tipo, g.recurso_clave) = (v.tipo, v.recurso_clave)
             RETURNING g.*
         ), serie AS (
             INSERT INTO contadores AS c (empresa, serie, valor)
             SELECT :empresa, 'eventos', :anterior + count(*) FROM idos HAVING count(*) > 0
             ON CONFLICT (empresa, serie) DO UPDATE
             SET valor = greatest(c.valor + excluded.valor - :anterior, excluded.valor)
             RETURNING valor
         )
         INSERT INTO eventos (
             empresa, id, clave, tipo, permiso, recurso, recurso_clave, cuerpo, creado, destinos, repartido
         )
         SELECT :empresa, i.id,
                s.valor - count(*) OVER () + row_number() OVER (ORDER BY i.vence, i.tipo, i.recurso_clave),
                i.tipo, i.permiso, i.recurso, i.recurso_clave,
                overlay(
                    i.cuerpo PLACING :creado_ahora::bytea
                    FROM position(:creado::bytea IN i.cuerpo) + length(:creado::bytea) FOR length(:creado_ahora::bytea)
                ),
                :ahora, i.destinos, coalesce(i.destinos = '{}', false)
         FROM idos i
         CROSS JOIN serie s",
        empresa,
        anterior: min_clave(now.get()) - 1,
        ahora: now,
        max: i64::from(max),
        creado: CREADO.as_bytes(),
        creado_ahora: now.to_string().into_bytes(),
    )
}

/// An event without `destinos` was written by the previous release.
pub(super) fn fan_out(empresa: i64, now: Timestamp, max: u32) -> Sql {
    sql!(
        "WITH nuevos AS MATERIALIZED (
             SELECT id, clave, tipo, creado, destinos
             FROM eventos
             WHERE empresa = :empresa AND NOT repartido
             ORDER BY id
             LIMIT :max
             FOR NO KEY UPDATE SKIP LOCKED
         ), suscritos AS MATERIALIZED (
             SELECT clave, eventos, activo, activo_desde, ultimo_descartado
             FROM webhooks
             WHERE empresa = :empresa AND eliminado IS NULL
         ), pares AS MATERIALIZED (
             SELECT n.id, n.tipo, s.clave AS webhook, row_number() OVER (ORDER BY n.id, s.clave) AS lugar,
                    count(*) OVER () AS cuantos
             FROM nuevos n JOIN suscritos s
               ON CASE WHEN n.destinos IS NULL THEN s.activo AND s.activo_desde <= n.creado AND n.tipo = ANY (s.eventos)
                       ELSE s.clave = ANY (n.destinos) AND n.clave > coalesce(s.ultimo_descartado, 0) END
         ), serie AS (
             INSERT INTO contadores AS c (empresa, serie, valor)
             SELECT :empresa, 'entregas', count(*) FROM pares HAVING count(*) > 0
             ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
             RETURNING valor
         ), hechas AS (
             INSERT INTO entregas (empresa, clave, webhook, evento, tipo, creado, proximo_intento)
             SELECT :empresa, s.valor - p.cuantos + p.lugar, p.webhook, p.id, p.tipo, :ahora, :ahora
             FROM pares p
             CROSS JOIN serie s
             RETURNING webhook
         ), programados AS (
             UPDATE webhooks w
             SET proximo = :ahora
             WHERE w.empresa = :empresa AND w.clave IN (SELECT webhook FROM hechas)
               AND (w.proximo IS NULL OR w.proximo > :ahora)
         ), repartidos AS (
             UPDATE eventos e
             SET repartido = true, ultima_entrega = :ahora
             FROM nuevos n
             WHERE e.empresa = :empresa AND e.id = n.id
             RETURNING 1
         )
         SELECT (SELECT count(*) FROM repartidos) AS eventos, (SELECT count(*) FROM hechas) AS entregas",
        empresa,
        ahora: now,
        max: i64::from(max),
    )
}

/// Deliveries of events that happened. The events are locked, so that the clean-up leaves them.
/// Answers how many there are, up to one more than `max`; then none is made.
pub(super) fn deliver_again(empresa: i64, rows: &NewDeliveries<'_>) -> Sql {
    sql!(
        "WITH sucesos AS MATERIALIZED (
             SELECT id, clave, tipo
             FROM eventos
             WHERE empresa = :empresa AND clave >= :primera AND creado >= :desde AND tipo = ANY (:tipos)
             LIMIT :max + 1
             FOR NO KEY UPDATE
         ), pedidos AS MATERIALIZED (
             SELECT id, tipo, row_number() OVER (ORDER BY clave) AS lugar, count(*) OVER () AS cuantos
             FROM sucesos
             WHERE (SELECT count(*) FROM sucesos) <= :max
         ), serie AS (
             INSERT INTO contadores AS c (empresa, serie, valor)
             SELECT :empresa, 'entregas', count(*) FROM pedidos HAVING count(*) > 0
             ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
             RETURNING valor
         ), hechas AS (
             INSERT INTO entregas (empresa, clave, webhook, evento, tipo, origen, creado, proximo_intento)
             SELECT :empresa, s.valor - p.cuantos + p.lugar, :webhook, p.id, p.tipo, :origen, :creado, :creado
             FROM pedidos p
             CROSS JOIN serie s
         ), programado AS (
             UPDATE webhooks
             SET proximo = least(proximo, :creado)
             WHERE empresa = :empresa AND clave = :webhook AND EXISTS (SELECT FROM pedidos)
         ), guardados AS (
             UPDATE eventos e
             SET ultima_entrega = :creado
             FROM pedidos p
             WHERE e.empresa = :empresa AND e.id = p.id
         )
         SELECT count(*) FROM sucesos",
        empresa,
        primera: min_clave(rows.since),
        desde: rows.since,
        max: i64::from(rows.max);
        from rows { tipos, webhook, origen, creado }
    )
}

/// Runs before anything else, so that later statements see all that was done under these locks; and
/// in one order, so that transactions do not deadlock. Counting the rows locks them all.
pub(super) fn lock(empresa: i64, deleted: &[i64]) -> Sql {
    sql!(
        "WITH bloqueados AS MATERIALIZED (
             SELECT clave
             FROM webhooks
             WHERE empresa = :empresa AND (eliminado IS NULL OR por_descartar OR clave = ANY (:eliminados))
             ORDER BY clave
             FOR NO KEY UPDATE
         )
         SELECT e.desfase
         FROM empresas e
         WHERE e.empresa = :empresa AND (SELECT count(*) FROM bloqueados) >= 0",
        empresa,
        eliminados: deleted,
    )
}

/// Claims deliveries. Leases are measured by the database's clock, since those of servers may
/// differ. A failing webhook gets one delivery at a time, over all workers.
///
/// A webhook is due next when the first delivery after the claimed ones is; while leases last, at
/// the latest when they end. `'pendiente'` is a literal because the partial index needs it.
/// Deliveries are updated by `ctid` and each event is read by a subquery: with joins by key, a plan
/// made while the tables were empty read all of them for each delivery. Only columns without an
/// index are written, so that no index is updated.
pub(super) fn claim(empresa: i64, claim: &DeliveryClaim<'_>) -> Sql {
    sql!(
        "WITH turnos AS MATERIALIZED (
             SELECT w.clave,
                    CASE WHEN w.intentos_fallidos >= :fallos_de_sondeo THEN 1 WHEN w.demora_ms >= :demora_lenta THEN :por_webhook_lento ELSE :por_webhook END AS cuantas
             FROM webhooks w
             WHERE w.empresa = :empresa AND w.activo AND w.eliminado IS NULL AND w.proximo <= :ahora AND w.clave <> ALL (:ocupados)
               AND (w.intentos_fallidos < :fallos_de_sondeo OR w.sondeo IS NULL OR w.sondeo <= now())
         ), tomadas AS MATERIALIZED (
             SELECT e.lugar, t.clave AS webhook
             FROM turnos t
             CROSS JOIN LATERAL (
                 SELECT d.ctid AS lugar FROM entregas d
                 WHERE d.empresa = :empresa AND d.webhook = t.clave AND d.estado = 'pendiente' AND d.proximo_intento <= :ahora
                   AND (d.token IS NULL OR d.arrendado <= now())
                 ORDER BY d.proximo_intento LIMIT t.cuantas
                 FOR NO KEY UPDATE SKIP LOCKED
             ) e
             LIMIT :max
         ), programados AS (
             UPDATE webhooks w SET
                 proximo = least(
                     (SELECT d.proximo_intento FROM entregas d
                      WHERE d.empresa = :empresa AND d.webhook = w.clave AND d.estado = 'pendiente'
                        AND (d.token IS NULL OR d.arrendado <= now())
                      ORDER BY d.proximo_intento OFFSET t.tomadas LIMIT 1),
                     CASE WHEN t.tomadas > 0 THEN :hasta WHEN w.arrendado > now() THEN w.proximo END),
                 arrendado = CASE WHEN t.tomadas > 0 THEN now() + :duracion ELSE w.arrendado END,
                 sondeo = CASE WHEN t.tomadas > 0 THEN now() + :duracion END
             FROM (SELECT t.clave, (SELECT count(*) FROM tomadas WHERE webhook = t.clave) AS tomadas FROM turnos t) t
             WHERE w.empresa = :empresa AND w.clave = t.clave
         )
         UPDATE entregas d SET token = :token, arrendado = now() + :duracion
         FROM tomadas t JOIN webhooks w ON w.empresa = :empresa AND w.clave = t.webhook
         WHERE d.empresa = :empresa AND d.ctid = t.lugar
         RETURNING d.clave, d.webhook, w.url, w.secreto,
                   CASE WHEN w.secreto_anterior_hasta > :ahora THEN w.secreto_anterior END AS secreto_anterior,
                   w.intentos_fallidos, w.demora_ms::bigint AS demora_ms,
                   d.evento, d.tipo, (SELECT e.cuerpo FROM eventos e WHERE e.empresa = :empresa AND e.id = d.evento) AS cuerpo,
                   d.intentos, d.origen",
        empresa,
        max: i64::from(claim.lease.max),
        por_webhook: i64::from(claim.each),
        fallos_de_sondeo: claim.probe_after as i32,
        ahora: claim.lease.due,
        token: claim.lease.token,
        hasta: claim.lease.until,
        duracion: claim.lease.duration(),
        ocupados: claim.busy,
        por_webhook_lento: i64::from(claim.each_slow),
        demora_lenta: claim.slow_after,
    )
}

/// Records attempts. A successful delivery resets the failures before it.
pub(super) fn record(empresa: i64, attempts: &[AttemptRecord], now: DateTime<Utc>) -> Sql {
    sql!(
        "WITH r AS MATERIALIZED (
             SELECT * FROM unnest(:clave::bigint[], :webhook::bigint[], :token::uuid[], :estado::text[], :http::integer[], :motivo::text[],
                                  :duracion::bigint[], :intento::timestamptz[], :proximo::timestamptz[], :cuenta::boolean[])
                 WITH ORDINALITY AS r (clave, webhook, token, estado, http, motivo, duracion, intento, proximo, cuenta, n)
         ), hechas AS (
             UPDATE entregas d SET
                 estado = r.estado, proximo_intento = r.proximo, token = NULL, arrendado = NULL,
                 intentos = d.intentos + CASE WHEN r.intento IS NULL THEN 0 ELSE 1 END,
                 http = CASE WHEN r.intento IS NULL THEN d.http ELSE r.http END,
                 motivo = CASE WHEN r.intento IS NULL THEN d.motivo ELSE r.motivo END,
                 duracion_ms = coalesce(r.duracion, d.duracion_ms),
                 ultimo_intento = coalesce(r.intento, d.ultimo_intento)
             FROM r WHERE d.empresa = :empresa AND d.clave = r.clave AND d.token = r.token
             RETURNING d.webhook, d.origen, r.n, r.estado, r.intento, r.cuenta, r.proximo, r.duracion
         ), ordenadas AS (
             SELECT *, estado <> 'entregada' AND cuenta AS mala,
                    coalesce(max(n) FILTER (WHERE estado = 'entregada') OVER (PARTITION BY webhook), 0) AS ultima
             FROM hechas
         ), saldos AS (
             SELECT webhook, max(intento) FILTER (WHERE estado = 'entregada') AS entregada,
                    count(*) FILTER (WHERE mala AND n > ultima) AS intentos,
                    count(*) FILTER (WHERE mala AND n > ultima AND origen = 'evento' AND estado = 'fallida') AS fallos,
                    min(intento) FILTER (WHERE mala AND n > ultima AND origen = 'evento') AS desde,
                    min(proximo) AS proximo, avg(duracion)::integer AS demora
             FROM ordenadas GROUP BY webhook
         ), marcados AS (
             UPDATE webhooks w SET
                 intentos_fallidos = CASE WHEN s.entregada IS NULL THEN w.intentos_fallidos ELSE 0 END + s.intentos,
                 fallos_consecutivos = CASE WHEN s.entregada IS NULL THEN w.fallos_consecutivos ELSE 0 END + s.fallos,
                 racha_desde = coalesce(CASE WHEN s.entregada IS NULL THEN w.racha_desde END, s.desde),
                 ultima_entrega = coalesce(s.entregada, w.ultima_entrega),
                 demora_ms = coalesce((coalesce(w.demora_ms, s.demora) + s.demora) / 2, w.demora_ms),
                 proximo = least(w.proximo, s.proximo), sondeo = NULL
             FROM saldos s
             WHERE w.empresa = :empresa AND w.clave = s.webhook
             RETURNING w.clave, w.fallos_consecutivos, w.racha_desde
         )
         SELECT h.n AS lugar, m.fallos_consecutivos, m.racha_desde
         FROM hechas h LEFT JOIN marcados m ON m.clave = h.webhook",
        empresa;
        for record in attempts {
            clave,
            webhook,
            token,
            estado: record.estado(),
            http: record.attempt.and_then(|made| made.result.http).map(i32::from),
            motivo: record.attempt.and_then(|made| made.motivo()),
            duracion: record.attempt.map(|made| made.duracion_ms),
            intento: record.attempt.map(|made| made.at),
            proximo: record.next_attempt(now),
            cuenta: record.attempt.is_some_and(|made| made.result.counts),
        }
    )
}

/// Discards pending deliveries of webhooks that were deleted or disabled: of all, or of one.
pub(super) fn discard(empresa: i64, max: u32, webhook: Option<i64>) -> Sql {
    sql!(
        "WITH dejados AS MATERIALIZED (
             SELECT clave FROM webhooks
             WHERE empresa = :empresa AND por_descartar AND (:webhook::bigint IS NULL OR clave = :webhook)
         ), idas AS MATERIALIZED (
             SELECT e.clave FROM dejados w
             CROSS JOIN LATERAL (
                 SELECT d.clave FROM entregas d
                 WHERE d.empresa = :empresa AND d.webhook = w.clave AND d.estado = 'pendiente'
                 LIMIT :max
             ) e
             LIMIT :max
         ), marcadas AS (
             UPDATE entregas SET estado = :descartada, proximo_intento = NULL, token = NULL, arrendado = NULL
             WHERE empresa = :empresa AND clave IN (SELECT clave FROM idas)
             RETURNING 1
         ), hechos AS (
             UPDATE webhooks SET por_descartar = false
             WHERE empresa = :empresa AND clave IN (SELECT clave FROM dejados) AND (SELECT count(*) FROM idas) < :max
         )
         SELECT count(*) FROM marcadas",
        empresa,
        max: i64::from(max),
        descartada: DeliveryStatus::Descartada,
        webhook,
    )
}
