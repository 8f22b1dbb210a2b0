-- no-transaction
-- Deliveries go by age in the order of their claves, which the primary key has.
DROP INDEX CONCURRENTLY IF EXISTS entregas_creado;
