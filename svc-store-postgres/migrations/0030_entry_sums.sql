-- What an entry's lines add up to, written with them: they balance. In the place of a trigger over the lines, which a distributed engine
-- refuses. Null in what was written before.
ALTER TABLE polizas ADD COLUMN cargos numeric(24, 6), ADD COLUMN abonos numeric(24, 6);
ALTER TABLE polizas ADD CONSTRAINT polizas_cuadra_check CHECK (cargos = abonos) NOT VALID;
