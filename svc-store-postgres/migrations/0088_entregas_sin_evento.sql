-- no-transaction
-- The clean-up asks events when their last delivery was made.
DROP INDEX CONCURRENTLY IF EXISTS entregas_evento;
