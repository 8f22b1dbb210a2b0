-- The webhooks that an event is for: those that were active and subscribed to it when it occurred. Null in those of the release
-- before, which are for the webhooks that are when their deliveries are made.
ALTER TABLE eventos ADD COLUMN destinos bigint[];
