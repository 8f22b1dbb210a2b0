-- Whether a line's product had stock when it was sold: what was reserved is released, and what left comes back, also when the
-- product has become a service since. Null in imported lines, of which the product tells.
ALTER TABLE ventas_renglones ADD COLUMN con_existencia boolean;
