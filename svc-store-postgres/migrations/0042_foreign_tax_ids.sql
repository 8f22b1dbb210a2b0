-- A foreigner's tax id at home, which their tax documents bear.
ALTER TABLE clientes ADD COLUMN num_reg_id_trib text;
