-- no-transaction
-- The ids of events ascend with time: the clean-up finds the oldest by the primary key.
DROP INDEX CONCURRENTLY IF EXISTS eventos_creado;
