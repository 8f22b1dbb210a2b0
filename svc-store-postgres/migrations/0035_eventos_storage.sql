-- Each row is written twice and removed after 30 days: a fiftieth of dead rows is enough to vacuum for.
ALTER TABLE eventos SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
