-- How often a key was used in the last clock minute in which it was used at all (contract §5). One row a key, written
-- over and over: room is left in its page so that it stays there. No foreign key: a count is worth nothing a minute later.
CREATE TABLE llaves_minuto (
    empresa  bigint NOT NULL,
    llave    text NOT NULL,
    minuto   timestamptz NOT NULL,
    usadas   bigint NOT NULL CHECK (usadas >= 0),
    PRIMARY KEY (empresa, llave)
) WITH (fillfactor = 50);
