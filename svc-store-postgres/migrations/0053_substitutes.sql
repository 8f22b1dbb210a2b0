-- The invoice that this one takes the place of (relation 04).
ALTER TABLE facturas ADD COLUMN sustituye bigint;
