-- no-transaction
-- Which companies have documents that are due to be stamped.
DROP INDEX CONCURRENTLY IF EXISTS timbrados_vencidos;
CREATE INDEX CONCURRENTLY timbrados_vencidos ON timbrados (proximo, empresa);
