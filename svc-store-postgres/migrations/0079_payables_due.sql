-- no-transaction
-- Payables by status in the order of a page, and until when each is not overdue: overdue ones are passed within the index.
DROP INDEX CONCURRENTLY IF EXISTS cxp_estatus_vence;
CREATE INDEX CONCURRENTLY cxp_estatus_vence ON cxp
    (empresa, estatus, clave, (coalesce(CASE WHEN saldo > 0 THEN vencimiento END, 'infinity')));
-- The new one begins with the same columns.
DROP INDEX CONCURRENTLY IF EXISTS cxp_estatus;
