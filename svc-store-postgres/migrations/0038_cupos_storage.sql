-- One row a company and month, written over and over: with room in the page it stays there.
ALTER TABLE cupos SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
