-- Why a document waits for a person: its fate is unknown (`estancado`), or the provider refuses the account (`configuracion`).
ALTER TABLE timbrados ADD COLUMN detenido text;
