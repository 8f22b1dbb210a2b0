-- no-transaction
-- Which invoices take an invoice's place.
DROP INDEX CONCURRENTLY IF EXISTS facturas_sustituye;
CREATE INDEX CONCURRENTLY facturas_sustituye ON facturas (empresa, sustituye) WHERE sustituye IS NOT NULL;
