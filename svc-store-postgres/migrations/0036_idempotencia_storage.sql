-- A claim is followed by its answer at once: with room for it in the page, no index is written again.
ALTER TABLE idempotencia SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
