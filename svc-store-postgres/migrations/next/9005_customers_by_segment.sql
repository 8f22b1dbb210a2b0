-- no-transaction
-- Filter `segmento`.
DROP INDEX CONCURRENTLY IF EXISTS clientes_con_segmento;
CREATE INDEX CONCURRENTLY clientes_con_segmento ON clientes (empresa, segmento, clave)
    WHERE segmento IS NOT NULL;
