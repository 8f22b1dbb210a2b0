-- The numbers that a company has given accounts of its own books; of the others the code is the number.
CREATE TABLE cuentas_contables (
    empresa     bigint NOT NULL REFERENCES empresas,
    -- The account, by the SAT's "código agrupador".
    codigo      text NOT NULL,
    numero      text NOT NULL,
    modificado  timestamptz NOT NULL,
    PRIMARY KEY (empresa, codigo)
);
