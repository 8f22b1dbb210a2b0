-- Whether the company sells what its stock does not have.
ALTER TABLE empresas ADD COLUMN vender_sin_existencia boolean NOT NULL DEFAULT true;
