-- no-transaction
-- A delivery that arrives is in two indexes afterwards and not in four: the log of its webhook, whose filters are read off that index
-- too, and the primary key. Those that have not arrived, few of many, are found by what became of them.
DROP INDEX CONCURRENTLY IF EXISTS entregas_de_webhook;
CREATE INDEX CONCURRENTLY entregas_de_webhook ON entregas (empresa, webhook, clave, tipo, estado);
DROP INDEX CONCURRENTLY IF EXISTS entregas_webhook;
DROP INDEX CONCURRENTLY IF EXISTS entregas_tipo;
DROP INDEX CONCURRENTLY IF EXISTS entregas_por_llegar;
CREATE INDEX CONCURRENTLY entregas_por_llegar ON entregas (empresa, webhook, estado, clave) WHERE estado <> 'entregada';
DROP INDEX CONCURRENTLY IF EXISTS entregas_estado;
