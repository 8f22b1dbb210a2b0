-- The document that was judged when a record was queued, which is what is sealed: XML without date, certificate and seal, deflated (zlib,
-- RFC 1950). It goes with its row. Null where an older release queued it: then it is made of the records of the day.
ALTER TABLE timbrados ADD COLUMN documento bytea;
