-- Three checks for each delivery cost as much as the delivery. The code alone writes them: the company is the transaction's, webhooks and
-- events are read before, and removed after their deliveries.
ALTER TABLE entregas DROP CONSTRAINT entregas_empresa_fkey;
ALTER TABLE entregas DROP CONSTRAINT entregas_webhook_fk;
ALTER TABLE entregas DROP CONSTRAINT entregas_evento_fk;
-- Room for the version that a claim makes of each row, which no index has to know of there.
ALTER TABLE entregas SET (fillfactor = 85);
