-- Few rows, written with every batch of attempts: with room in the page they stay there.
ALTER TABLE webhooks SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
