//! The statements of a company's queues. `$1` is the company in all of them.

/// A group that changes while this runs is locked, or no longer due; a later event starts a new group.
pub(super) const GATHER: &str = "
    WITH vencidos AS MATERIALIZED (
        SELECT tipo, recurso_clave FROM eventos_agrupados
        WHERE empresa = $1 AND vence <= $2 ORDER BY vence LIMIT $3 FOR UPDATE SKIP LOCKED
    ), idos AS (
        DELETE FROM eventos_agrupados g USING vencidos v
        WHERE g.empresa = $1 AND (g.tipo, g.recurso_clave) = (v.tipo, v.recurso_clave)
        RETURNING g.*
    )
    INSERT INTO eventos (empresa, id, tipo, recurso, recurso_clave, cuerpo, creado, destinos, repartido)
    SELECT $1, id, tipo, recurso, recurso_clave,
           overlay(cuerpo PLACING $5 FROM position($4 IN cuerpo) + length($4) FOR length($5)), $2,
           destinos, coalesce(destinos = '{}', false)
    FROM idos";

/// An event without `destinos` is of the release before.
pub(super) const FAN_OUT: &str = "
    WITH nuevos AS MATERIALIZED (
        SELECT id, tipo, creado, destinos FROM eventos WHERE empresa = $1 AND NOT repartido
        ORDER BY id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
    ), suscritos AS MATERIALIZED (
        SELECT clave, eventos, activo, activo_desde, descartado FROM webhooks
        WHERE empresa = $1 AND eliminado IS NULL
    ), pares AS MATERIALIZED (
        SELECT n.id, n.tipo, s.clave AS webhook, row_number() OVER (ORDER BY n.id, s.clave) AS lugar,
               count(*) OVER () AS cuantos
        FROM nuevos n JOIN suscritos s
          ON CASE WHEN n.destinos IS NULL THEN s.activo AND s.activo_desde <= n.creado AND n.tipo = ANY (s.eventos)
                  ELSE s.clave = ANY (n.destinos) AND (s.descartado IS NULL OR s.descartado < n.creado) END
    ), serie AS (
        INSERT INTO contadores AS c (empresa, serie, valor)
        SELECT $1, 'entregas', count(*) FROM pares HAVING count(*) > 0
        ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
        RETURNING valor
    ), hechas AS (
        INSERT INTO entregas (empresa, clave, webhook, evento, tipo, creado, proximo_intento)
        SELECT $1, s.valor - p.cuantos + p.lugar, p.webhook, p.id, p.tipo, $2, $2 FROM pares p CROSS JOIN serie s
        RETURNING webhook
    ), programados AS (
        UPDATE webhooks w SET proximo = $2
        WHERE w.empresa = $1 AND w.clave IN (SELECT webhook FROM hechas) AND (w.proximo IS NULL OR w.proximo > $2)
    ), repartidos AS (
        UPDATE eventos e SET repartido = true, ultima_entrega = $2 FROM nuevos n WHERE e.empresa = $1 AND e.id = n.id RETURNING 1
    )
    SELECT (SELECT count(*) FROM repartidos), (SELECT count(*) FROM hechas)";

/// Locked before anything else, so that the snapshots of the statements after it have all that was done under these locks; in
/// one order everywhere, so that two transactions do not deadlock.
pub(super) const LOCK: &str = "
    SELECT FROM webhooks WHERE empresa = $1 AND (eliminado IS NULL OR por_descartar OR clave = ANY ($2))
    ORDER BY clave FOR NO KEY UPDATE";

/// Leases are written and judged by the database's clock, since those of servers may differ. Of a failing webhook one delivery
/// at a time is claimed, by whatever worker. What is free after those that are taken is what the webhook has due next; while
/// leases last, it is due when they were to end, at the latest. `'pendiente'` is literal because the partial index needs it. What
/// is taken is written where it was found, and its event sought by itself: joined by keys, a plan made while the tables were
/// empty read all of them for each delivery. Only columns without an index are written, so that no index has more to do.
pub(super) const CLAIM: &str = "
    WITH turnos AS MATERIALIZED (
        SELECT w.clave, w.descartado,
               CASE WHEN w.intentos_fallidos >= $4 THEN 1 WHEN w.demora_ms >= $11 THEN $10 ELSE $3 END AS cuantas
        FROM webhooks w
        WHERE w.empresa = $1 AND w.activo AND w.eliminado IS NULL AND w.proximo <= $5 AND w.clave <> ALL ($9)
          AND (w.intentos_fallidos < $4 OR w.sondeo IS NULL OR w.sondeo <= now())
    ), tomadas AS MATERIALIZED (
        SELECT e.lugar, t.clave AS webhook
        FROM turnos t
        CROSS JOIN LATERAL (
            SELECT d.ctid AS lugar FROM entregas d
            WHERE d.empresa = $1 AND d.webhook = t.clave AND d.estado = 'pendiente' AND d.proximo_intento <= $5
              AND (d.token IS NULL OR d.arrendado <= now())
              AND (t.descartado IS NULL OR d.creado > t.descartado)
            ORDER BY d.proximo_intento LIMIT t.cuantas
            FOR NO KEY UPDATE SKIP LOCKED
        ) e
        LIMIT $2
    ), programados AS (
        UPDATE webhooks w SET
            proximo = least(
                (SELECT d.proximo_intento FROM entregas d
                 WHERE d.empresa = $1 AND d.webhook = w.clave AND d.estado = 'pendiente'
                   AND (d.token IS NULL OR d.arrendado <= now())
                 ORDER BY d.proximo_intento OFFSET t.tomadas LIMIT 1),
                CASE WHEN t.tomadas > 0 THEN $7 WHEN w.arrendado > now() THEN w.proximo END),
            arrendado = CASE WHEN t.tomadas > 0 THEN now() + $8 ELSE w.arrendado END,
            sondeo = CASE WHEN t.tomadas > 0 THEN now() + $8 END
        FROM (SELECT t.clave, (SELECT count(*) FROM tomadas WHERE webhook = t.clave) AS tomadas FROM turnos t) t
        WHERE w.empresa = $1 AND w.clave = t.clave
    )
    UPDATE entregas d SET token = $6, arrendado = now() + $8
    FROM tomadas t JOIN webhooks w ON w.empresa = $1 AND w.clave = t.webhook
    WHERE d.empresa = $1 AND d.ctid = t.lugar
    RETURNING d.clave, d.webhook, w.url, w.secreto,
              CASE WHEN w.secreto_anterior_hasta > $5 THEN w.secreto_anterior END, w.intentos_fallidos, w.demora_ms,
              d.evento, d.tipo, (SELECT e.cuerpo FROM eventos e WHERE e.empresa = $1 AND e.id = d.evento) AS cuerpo,
              d.intentos, d.origen";

/// A successful delivery resets the failures before it.
pub(super) const RECORD: &str = "
    WITH r AS MATERIALIZED (
        SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::uuid[], $5::text[], $6::integer[], $7::text[],
                             $8::bigint[], $9::timestamptz[], $10::timestamptz[], $11::boolean[])
            WITH ORDINALITY AS r (clave, webhook, token, estado, http, motivo, duracion, intento, proximo, cuenta, n)
    ), hechas AS (
        UPDATE entregas d SET
            estado = r.estado, proximo_intento = r.proximo, token = NULL, arrendado = NULL,
            intentos = d.intentos + CASE WHEN r.intento IS NULL THEN 0 ELSE 1 END,
            http = CASE WHEN r.intento IS NULL THEN d.http ELSE r.http END,
            motivo = CASE WHEN r.intento IS NULL THEN d.motivo ELSE r.motivo END,
            duracion_ms = coalesce(r.duracion, d.duracion_ms),
            ultimo_intento = coalesce(r.intento, d.ultimo_intento)
        FROM r WHERE d.empresa = $1 AND d.clave = r.clave AND d.token = r.token
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
        WHERE w.empresa = $1 AND w.clave = s.webhook
        RETURNING w.clave, w.fallos_consecutivos, w.racha_desde
    )
    SELECT h.n, m.fallos_consecutivos, m.racha_desde
    FROM hechas h LEFT JOIN marcados m ON m.clave = h.webhook";

/// What was pending when its webhook was deleted or disabled: of all webhooks, or of one.
pub(super) const DISCARD: &str = "
    WITH dejados AS MATERIALIZED (
        SELECT clave, eliminado, descartado FROM webhooks
        WHERE empresa = $1 AND por_descartar AND ($4::bigint IS NULL OR clave = $4)
    ), idas AS MATERIALIZED (
        SELECT e.clave FROM dejados w
        CROSS JOIN LATERAL (
            SELECT d.clave FROM entregas d
            WHERE d.empresa = $1 AND d.webhook = w.clave AND d.estado = 'pendiente'
              AND (w.eliminado IS NOT NULL OR d.creado <= w.descartado)
            LIMIT $2
        ) e
        LIMIT $2
    ), marcadas AS (
        UPDATE entregas SET estado = $3, proximo_intento = NULL, token = NULL, arrendado = NULL
        WHERE empresa = $1 AND clave IN (SELECT clave FROM idas)
        RETURNING 1
    ), hechos AS (
        UPDATE webhooks SET por_descartar = false
        WHERE empresa = $1 AND clave IN (SELECT clave FROM dejados) AND (SELECT count(*) FROM idas) < $2
    )
    SELECT count(*) FROM marcadas";
