-- The constraint of the entries' sums holds instead. Its function is left for a later release to remove.
DROP TRIGGER polizas_renglones_cuadra ON polizas_renglones;
