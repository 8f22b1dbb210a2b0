-- Taxes of products besides the IVA: IEPS by its rate or of each unit, and the rates by which a company withholds ISR and IVA from a natural
-- person. Null is none.
ALTER TABLE productos
    ADD COLUMN ieps_tasa numeric(9, 6),
    ADD COLUMN ieps_cuota numeric(9, 6),
    ADD COLUMN retencion_isr numeric(9, 6),
    ADD COLUMN retencion_iva numeric(9, 6);
