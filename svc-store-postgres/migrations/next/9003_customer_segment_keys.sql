-- A customer's segment exists.
ALTER TABLE clientes ADD CONSTRAINT clientes_segmento_fk
    FOREIGN KEY (empresa, segmento) REFERENCES segmentos NOT VALID;
