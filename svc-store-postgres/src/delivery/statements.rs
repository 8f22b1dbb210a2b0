//! The statements over all companies.

/// A group that changes while this runs is locked, or no longer due; a later event starts a new group.
pub(super) const GATHER: &str = "
    WITH vencidos AS MATERIALIZED (
        SELECT empresa, tipo, recurso_clave FROM eventos_agrupados WHERE vence <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
    ), idos AS (
        DELETE FROM eventos_agrupados g USING vencidos v
        WHERE (g.empresa, g.tipo, g.recurso_clave) = (v.empresa, v.tipo, v.recurso_clave)
        RETURNING g.*
    )
    INSERT INTO eventos (empresa, id, tipo, recurso, recurso_clave, cuerpo, creado)
    SELECT empresa, id, tipo, recurso, recurso_clave,
           overlay(cuerpo PLACING $4 FROM position($3 IN cuerpo) + length($3) FOR length($4)), $1
    FROM idos";

/// The webhooks are locked until the end, so that a transaction that disables or deletes one sees these deliveries; in one
/// order everywhere, so that two transactions do not deadlock.
pub(super) const FAN_OUT: &str = "
    WITH nuevos AS MATERIALIZED (
        SELECT empresa, id, tipo, creado FROM eventos WHERE NOT repartido
        ORDER BY empresa, id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
    ), suscritos AS MATERIALIZED (
        SELECT empresa, clave, eventos, activo_desde FROM webhooks
        WHERE empresa IN (SELECT empresa FROM nuevos) AND activo AND eliminado IS NULL
        ORDER BY empresa, clave FOR SHARE
    ), destinos AS MATERIALIZED (
        SELECT n.empresa, n.id, n.tipo, s.clave AS webhook,
               row_number() OVER (PARTITION BY n.empresa ORDER BY n.id, s.clave) AS lugar,
               count(*) OVER (PARTITION BY n.empresa) AS cuantas
        FROM nuevos n JOIN suscritos s ON s.empresa = n.empresa AND n.tipo = ANY (s.eventos) AND s.activo_desde <= n.creado
    ), series AS (
        INSERT INTO contadores AS c (empresa, serie, valor)
        SELECT empresa, 'entregas', count(*) FROM destinos GROUP BY empresa ORDER BY empresa
        ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
        RETURNING empresa, valor
    ), hechas AS (
        INSERT INTO entregas (empresa, clave, webhook, evento, tipo, creado, proximo_intento)
        SELECT d.empresa, s.valor - d.cuantas + d.lugar, d.webhook, d.id, d.tipo, $1, $1
        FROM destinos d JOIN series s ON s.empresa = d.empresa
        RETURNING 1
    ), repartidos AS (
        UPDATE eventos e SET repartido = true FROM nuevos n WHERE (e.empresa, e.id) = (n.empresa, n.id) RETURNING 1
    )
    SELECT (SELECT count(*) FROM repartidos), (SELECT count(*) FROM hechas)";

/// A leased delivery is due when its lease ends, so other workers skip it. Of a failing webhook all workers try to claim the
/// same delivery: the second finds it locked or no longer due. `'pendiente'` is literal because the partial index needs it.
pub(super) const CLAIM: &str = "
    WITH turnos AS MATERIALIZED (
        SELECT w.empresa, w.clave, w.intentos_fallidos < $3 AS sano, p.clave AS primera
        FROM webhooks w
        CROSS JOIN LATERAL (
            SELECT d.clave, d.proximo_intento FROM entregas d
            WHERE d.empresa = w.empresa AND d.webhook = w.clave AND d.estado = 'pendiente' AND d.proximo_intento <= $4
            ORDER BY d.proximo_intento LIMIT 1
        ) p
        WHERE w.activo AND w.eliminado IS NULL
          AND NOT EXISTS (SELECT FROM unnest($5::bigint[], $6::bigint[]) AS o (empresa, clave)
                          WHERE o.empresa = w.empresa AND o.clave = w.clave)
          AND (w.intentos_fallidos < $3 OR NOT EXISTS (
              SELECT FROM entregas d
              WHERE d.empresa = w.empresa AND d.webhook = w.clave AND d.estado = 'pendiente'
                AND d.proximo_intento > $4 AND d.proximo_intento <= $9 AND d.arrendado > $4))
        ORDER BY p.proximo_intento LIMIT $1
    ), tomadas AS MATERIALIZED (
        SELECT t.empresa, e.clave
        FROM turnos t
        CROSS JOIN LATERAL (
            SELECT d.clave FROM entregas d
            WHERE d.empresa = t.empresa AND d.webhook = t.clave AND d.estado = 'pendiente' AND d.proximo_intento <= $4
              AND (t.sano OR d.clave = t.primera)
            ORDER BY d.proximo_intento LIMIT CASE WHEN t.sano THEN $2 ELSE 1 END
            FOR NO KEY UPDATE SKIP LOCKED
        ) e
        LIMIT $1
    )
    UPDATE entregas d SET token = $7, arrendado = $8, proximo_intento = $8
    FROM tomadas t, webhooks w, eventos e
    WHERE d.empresa = t.empresa AND d.clave = t.clave
      AND w.empresa = d.empresa AND w.clave = d.webhook AND e.empresa = d.empresa AND e.id = d.evento
    RETURNING d.empresa, d.clave, d.webhook, w.url, w.secreto,
              CASE WHEN w.secreto_anterior_hasta > $4 THEN w.secreto_anterior END, w.intentos_fallidos,
              d.evento, d.tipo, e.cuerpo, d.intentos, d.origen";

/// Webhooks are locked first, in their order. A successful delivery resets the failures before it.
pub(super) const RECORD: &str = "
    WITH r AS MATERIALIZED (
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::uuid[], $5::text[], $6::integer[], $7::text[],
                             $8::bigint[], $9::timestamptz[], $10::timestamptz[], $11::boolean[])
            WITH ORDINALITY AS r (empresa, clave, webhook, token, estado, http, motivo, duracion, intento, proximo, cuenta, n)
    ), cerrados AS MATERIALIZED (
        SELECT empresa, clave FROM webhooks WHERE (empresa, clave) IN (SELECT empresa, webhook FROM r)
        ORDER BY empresa, clave FOR NO KEY UPDATE
    ), hechas AS (
        UPDATE entregas d SET
            estado = r.estado, proximo_intento = r.proximo, token = NULL, arrendado = NULL,
            intentos = d.intentos + CASE WHEN r.intento IS NULL THEN 0 ELSE 1 END,
            http = CASE WHEN r.intento IS NULL THEN d.http ELSE r.http END,
            motivo = CASE WHEN r.intento IS NULL THEN d.motivo ELSE r.motivo END,
            duracion_ms = coalesce(r.duracion, d.duracion_ms),
            ultimo_intento = coalesce(r.intento, d.ultimo_intento)
        FROM r JOIN cerrados c ON c.empresa = r.empresa AND c.clave = r.webhook
        WHERE d.empresa = r.empresa AND d.clave = r.clave AND d.token = r.token
        RETURNING d.empresa, d.webhook, d.origen, r.n, r.estado, r.intento, r.cuenta
    ), ordenadas AS (
        SELECT *, estado <> 'entregada' AND cuenta AS mala,
               coalesce(max(n) FILTER (WHERE estado = 'entregada') OVER (PARTITION BY empresa, webhook), 0) AS ultima
        FROM hechas
    ), saldos AS (
        SELECT empresa, webhook, max(intento) FILTER (WHERE estado = 'entregada') AS entregada,
               count(*) FILTER (WHERE mala AND n > ultima) AS intentos,
               count(*) FILTER (WHERE mala AND n > ultima AND origen = 'evento' AND estado = 'fallida') AS fallos,
               min(intento) FILTER (WHERE mala AND n > ultima AND origen = 'evento') AS desde
        FROM ordenadas GROUP BY empresa, webhook
    ), marcados AS (
        UPDATE webhooks w SET
            intentos_fallidos = CASE WHEN s.entregada IS NULL THEN w.intentos_fallidos ELSE 0 END + s.intentos,
            fallos_consecutivos = CASE WHEN s.entregada IS NULL THEN w.fallos_consecutivos ELSE 0 END + s.fallos,
            racha_desde = coalesce(CASE WHEN s.entregada IS NULL THEN w.racha_desde END, s.desde),
            ultima_entrega = coalesce(s.entregada, w.ultima_entrega)
        FROM saldos s
        WHERE w.empresa = s.empresa AND w.clave = s.webhook AND (s.entregada IS NOT NULL OR s.intentos > 0)
        RETURNING w.empresa, w.clave, w.fallos_consecutivos, w.racha_desde
    )
    SELECT h.n, m.fallos_consecutivos, m.racha_desde
    FROM hechas h LEFT JOIN marcados m ON m.empresa = h.empresa AND m.clave = h.webhook";
