-- The segment of a customer, and how many points they have.
ALTER TABLE clientes ADD COLUMN segmento bigint, ADD COLUMN puntos integer NOT NULL DEFAULT 0;
