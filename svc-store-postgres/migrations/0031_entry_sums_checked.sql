-- no-transaction
ALTER TABLE polizas VALIDATE CONSTRAINT polizas_cuadra_check;
