-- What a document was made as, where it has become another since: whoever was told of it then finds it by that type still. And how much of
-- the customer's advances a cash sale counted when it was invoiced.
ALTER TABLE ventas ADD COLUMN tipo_creado text, ADD COLUMN anticipo_contado numeric(24, 6);
