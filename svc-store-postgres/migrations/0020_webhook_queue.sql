-- When a webhook has work, and what its receiver is like, so that a worker finds what is due without looking at each webhook.

ALTER TABLE webhooks
    -- No later than its first pending delivery is due; null without any. Whoever adds or puts off one brings it forward, and
    -- whoever claims puts it right. Those that are there already are looked at once.
    ADD COLUMN proximo timestamptz DEFAULT '1970-01-01Z',
    -- How long its receiver takes to answer: half the last attempts, half those before.
    ADD COLUMN demora_ms integer,
    -- While it fails it is tried with one delivery at a time: until then, by the database's clock, a worker does.
    ADD COLUMN sondeo timestamptz,
    -- What was pending when it was last disabled is discarded.
    ADD COLUMN descartado timestamptz,
    -- Whether some of what is discarded has yet to be marked so.
    ADD COLUMN por_descartar boolean NOT NULL DEFAULT false;
