-- When the last delivery of it was made: an event is kept until that has gone, which no index of deliveries by event is needed for. Null
-- without deliveries, and of servers of the release before, whose deliveries are as old as the event but for those sent again.
ALTER TABLE eventos ADD COLUMN ultima_entrega timestamptz;
