-- What an entry's lines add up to, written with them: they balance. In the place of a trigger over the lines, which a distributed engine
-- refuses. Null in what was written before. Without a limit of
-- digits: a sum may have more than its lines.
ALTER TABLE polizas ADD COLUMN cargos numeric, ADD COLUMN abonos numeric;
ALTER TABLE polizas ADD CONSTRAINT polizas_cuadra_check CHECK (cargos = abonos) NOT VALID;
