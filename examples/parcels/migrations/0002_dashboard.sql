-- How many sales were made and left, kept by a subscriber.
CREATE TABLE paqueteria_tablero (
    empresa  bigint PRIMARY KEY,
    ventas   bigint NOT NULL DEFAULT 0,
    envios   bigint NOT NULL DEFAULT 0
);
