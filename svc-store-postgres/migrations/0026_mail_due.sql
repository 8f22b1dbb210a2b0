-- no-transaction
-- Which companies have e-mails that are due.
DROP INDEX CONCURRENTLY IF EXISTS avisos_vencidos;
CREATE INDEX CONCURRENTLY avisos_vencidos ON avisos (proximo, empresa);
