-- no-transaction
-- Receivables by status in the order of a page, and until when each is not overdue: overdue ones are passed within the index.
DROP INDEX CONCURRENTLY IF EXISTS cxc_estatus_vence;
CREATE INDEX CONCURRENTLY cxc_estatus_vence ON cxc
    (empresa, estatus, clave, (coalesce(CASE WHEN saldo > 0 THEN vencimiento END, 'infinity')));
-- The new one begins with the same columns.
DROP INDEX CONCURRENTLY IF EXISTS cxc_estatus;
