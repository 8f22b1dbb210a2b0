-- no-transaction
ALTER TABLE clientes VALIDATE CONSTRAINT clientes_segmento_fk;
