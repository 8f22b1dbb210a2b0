-- A made-up local tax of products, and of a sale's lines by the rate that applied. Null is none.
ALTER TABLE productos ADD COLUMN impuesto_local_tasa numeric(9, 6);
ALTER TABLE ventas_renglones ADD COLUMN impuesto_local_tasa numeric(9, 6);
