-- Each row is written three times in its first minutes and removed after 30 days: a fiftieth of dead rows is enough to vacuum for.
ALTER TABLE entregas SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
