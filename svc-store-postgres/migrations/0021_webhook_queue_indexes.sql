-- no-transaction
-- Which companies have deliveries due, and which have some to discard.
DROP INDEX CONCURRENTLY IF EXISTS webhooks_proximo;
CREATE INDEX CONCURRENTLY webhooks_proximo ON webhooks (proximo, empresa) WHERE activo AND eliminado IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS webhooks_por_descartar;
CREATE INDEX CONCURRENTLY webhooks_por_descartar ON webhooks (empresa, clave) WHERE por_descartar;
