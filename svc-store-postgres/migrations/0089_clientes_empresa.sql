-- The company of a transaction exists; of an import of customers a quarter of the time went into checking it for each row.
ALTER TABLE clientes DROP CONSTRAINT clientes_empresa_fkey;
