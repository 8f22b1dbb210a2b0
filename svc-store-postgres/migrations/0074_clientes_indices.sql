-- no-transaction
-- Of optional fields only rows that have them: one index less to write for each that a customer lacks.
DROP INDEX CONCURRENTLY IF EXISTS clientes_con_correo;
CREATE INDEX CONCURRENTLY clientes_con_correo ON clientes (empresa, correo_comparable, clave) WHERE correo_comparable IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS clientes_correo;
DROP INDEX CONCURRENTLY IF EXISTS clientes_con_telefono;
CREATE INDEX CONCURRENTLY clientes_con_telefono ON clientes (empresa, telefono_comparable, clave) WHERE telefono_comparable IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS clientes_telefono;
DROP INDEX CONCURRENTLY IF EXISTS clientes_con_movil;
CREATE INDEX CONCURRENTLY clientes_con_movil ON clientes (empresa, movil_comparable, clave) WHERE movil_comparable IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS clientes_movil;
DROP INDEX CONCURRENTLY IF EXISTS clientes_con_uso_cfdi;
CREATE INDEX CONCURRENTLY clientes_con_uso_cfdi ON clientes (empresa, uso_cfdi, clave) WHERE uso_cfdi IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS clientes_uso_cfdi;
DROP INDEX CONCURRENTLY IF EXISTS clientes_publicos;
CREATE INDEX CONCURRENTLY clientes_publicos ON clientes (empresa, clave) WHERE publico;
DROP INDEX CONCURRENTLY IF EXISTS clientes_publico;
