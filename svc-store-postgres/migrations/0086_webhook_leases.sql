-- Until when the last of its deliveries that were claimed is held, by the database's clock.
ALTER TABLE webhooks ADD COLUMN arrendado timestamptz;
