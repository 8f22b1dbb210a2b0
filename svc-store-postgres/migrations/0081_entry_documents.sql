-- What else an entry is about: a purchase order, an account payable, a deposit, the first movement of stock, the entry that it undoes.
ALTER TABLE polizas ADD COLUMN compra bigint, ADD COLUMN cxp bigint, ADD COLUMN deposito bigint, ADD COLUMN movimiento bigint,
    ADD COLUMN revierte bigint;
