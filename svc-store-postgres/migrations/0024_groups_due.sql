-- no-transaction
-- Which companies have groups that are due.
DROP INDEX CONCURRENTLY IF EXISTS eventos_agrupados_vencidos;
CREATE INDEX CONCURRENTLY eventos_agrupados_vencidos ON eventos_agrupados (vence, empresa);
