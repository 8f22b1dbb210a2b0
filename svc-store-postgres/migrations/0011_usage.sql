-- What of a month's quota a company has used. A month is Mexico's, named by its first day (contract §5).
CREATE TABLE cupos (
    empresa  bigint NOT NULL REFERENCES empresas,
    mes      date NOT NULL CHECK (extract(day FROM mes) = 1),
    usadas   bigint NOT NULL DEFAULT 0 CHECK (usadas >= 0),
    PRIMARY KEY (empresa, mes)
);
