-- no-transaction
-- Only customers that have one.
DROP INDEX CONCURRENTLY IF EXISTS clientes_con_folio;
CREATE INDEX CONCURRENTLY clientes_con_folio ON clientes (empresa, folio, clave) WHERE folio IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS clientes_folio;
