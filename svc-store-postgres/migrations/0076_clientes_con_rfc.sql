-- no-transaction
-- Customers by their RFC: half of them have none, and cost nothing here.
DROP INDEX CONCURRENTLY IF EXISTS clientes_con_rfc;
CREATE INDEX CONCURRENTLY clientes_con_rfc ON clientes (empresa, rfc, clave) WHERE rfc IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS clientes_rfc;
