-- The payment of an account payable that an entry is about.
ALTER TABLE polizas ADD COLUMN cxp_pago bigint;
