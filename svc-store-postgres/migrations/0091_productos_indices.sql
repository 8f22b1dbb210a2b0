-- no-transaction
-- Of optional fields only rows that have them: one index less to write for each that a product lacks. Kits in the order of their pages.
DROP INDEX CONCURRENTLY IF EXISTS productos_con_folio;
CREATE INDEX CONCURRENTLY productos_con_folio ON productos (empresa, folio, clave) WHERE folio IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS productos_folio;
DROP INDEX CONCURRENTLY IF EXISTS productos_con_padre;
CREATE INDEX CONCURRENTLY productos_con_padre ON productos (empresa, clave_padre, clave) WHERE clave_padre IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS productos_clave_padre;
DROP INDEX CONCURRENTLY IF EXISTS productos_con_marca;
CREATE INDEX CONCURRENTLY productos_con_marca ON productos (empresa, marca, clave) WHERE marca IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS productos_marca;
DROP INDEX CONCURRENTLY IF EXISTS productos_con_categoria;
CREATE INDEX CONCURRENTLY productos_con_categoria ON productos (empresa, categoria, clave) WHERE categoria IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS productos_categoria;
DROP INDEX CONCURRENTLY IF EXISTS productos_con_unidad;
CREATE INDEX CONCURRENTLY productos_con_unidad ON productos (empresa, unidad, clave) WHERE unidad IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS productos_unidad;
DROP INDEX CONCURRENTLY IF EXISTS productos_kits;
CREATE INDEX CONCURRENTLY productos_kits ON productos (empresa, clave) WHERE kit;
DROP INDEX CONCURRENTLY IF EXISTS productos_kit;
