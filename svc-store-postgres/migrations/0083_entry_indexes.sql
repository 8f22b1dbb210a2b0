-- no-transaction
-- The entries of a document, those that undo one, and those up to a day.
DROP INDEX CONCURRENTLY IF EXISTS polizas_compra;
CREATE INDEX CONCURRENTLY polizas_compra ON polizas (empresa, compra) WHERE compra IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS polizas_cxp;
CREATE INDEX CONCURRENTLY polizas_cxp ON polizas (empresa, cxp) WHERE cxp IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS polizas_deposito;
CREATE INDEX CONCURRENTLY polizas_deposito ON polizas (empresa, deposito) WHERE deposito IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS polizas_revierte;
CREATE INDEX CONCURRENTLY polizas_revierte ON polizas (empresa, revierte) WHERE revierte IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS polizas_fecha;
CREATE INDEX CONCURRENTLY polizas_fecha ON polizas (empresa, fecha);
