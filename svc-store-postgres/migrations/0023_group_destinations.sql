-- The webhooks that were active and subscribed at one of the changes, and when the group becomes an event at the latest.
ALTER TABLE eventos_agrupados ADD COLUMN destinos bigint[], ADD COLUMN limite timestamptz;
