-- Few rows, written over and over: with room in the page they stay there.
ALTER TABLE contadores SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
