-- What an entry's line is of, by the code of its account: cuenta is the number that the company had for that. Where it is null, as in what
-- was written before, the number is the code.
ALTER TABLE polizas_renglones ADD COLUMN codigo text;
