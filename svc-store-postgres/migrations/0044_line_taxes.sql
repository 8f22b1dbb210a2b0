-- The same taxes of a sale's lines, by the rates that applied, and what they came to; `isr_retenido` is a part of `retenciones`.
ALTER TABLE ventas_renglones
    ADD COLUMN ieps numeric(24, 6) NOT NULL DEFAULT 0,
    ADD COLUMN retenciones numeric(24, 6) NOT NULL DEFAULT 0,
    ADD COLUMN isr_retenido numeric(24, 6) NOT NULL DEFAULT 0,
    ADD COLUMN ieps_tasa numeric(9, 6),
    ADD COLUMN ieps_cuota numeric(9, 6),
    ADD COLUMN retencion_isr numeric(9, 6),
    ADD COLUMN retencion_iva numeric(9, 6);
