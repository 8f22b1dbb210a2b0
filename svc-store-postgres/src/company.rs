//! Companies, their users and their API keys.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::company::{
    Company, CompanyId, FIRST_BRANCH, FIRST_PRICE_LIST, FIRST_UNITS, FIRST_WAREHOUSE, LimitMode, Plan,
};
use svc_core::domain::quota::Period;
use svc_core::domain::scope::Scope;
use svc_core::store::{CompanyChange, CompanyTx, KeyId, KeyRecord, KnownUse, NewKey, NewUser, StoreError};

use crate::columns::used;
use crate::error::store_error;
use crate::transaction::PostgresTx;

/// A key with its company, its owner's access, and what was used with it in `period`.
pub(crate) fn key_record(row: &PgRow, period: Period) -> Result<KeyRecord, sqlx::Error> {
    let scopes: Vec<String> = row.try_get("permisos")?;
    let company = read_company(row)?;
    let suffix: String = row.try_get("sufijo")?;
    Ok(KeyRecord {
        id: KeyId { company: company.id, suffix: suffix.into() },
        company,
        secret_sha256: row.try_get("secreto_sha256")?,
        // A scope that a later version added means nothing to this one.
        scopes: scopes.iter().filter_map(|name| Scope::parse(name)).collect(),
        expires: row.try_get("vence")?,
        revoked: row.try_get("revocada")?,
        terms: row.try_get("terminos")?,
        owner: row.try_get("usuario")?,
        owner_active: row.try_get("activo")?,
        used: KnownUse { period, minute: used(row, "peticiones")?, month: used(row, "operaciones")? },
    })
}

/// The columns of `empresas` that a [`Company`] is read from. They are named because a prepared `SELECT *` fails for as long as its
/// connection lives once a migration adds a column.
macro_rules! company_columns {
    () => {
        "empresa, nombre, plan, licencias, limites, api, franquicia, facturacion, anticipo_minimo, \
         vender_sin_existencia, rfc, regimen, cp, cursor_clave"
    };
}

pub(crate) use company_columns;

fn read_company(row: &PgRow) -> Result<Company, sqlx::Error> {
    let (plan, limites): (String, String) = (row.try_get("plan")?, row.try_get("limites")?);
    Ok(Company {
        id: CompanyId(row.try_get("empresa")?),
        nombre: row.try_get("nombre")?,
        plan: if plan == "pro" { Plan::Pro } else { Plan::None },
        licencias: row.try_get("licencias")?,
        limites: match limites.as_str() {
            "enforced" => Some(LimitMode::Enforced),
            "notice" => Some(LimitMode::Notice),
            _ => None,
        },
        api: row.try_get("api")?,
        franquicia: row.try_get("franquicia")?,
        facturacion: row.try_get("facturacion")?,
        anticipo_minimo: row.try_get("anticipo_minimo")?,
        vender_sin_existencia: row.try_get("vender_sin_existencia")?,
        rfc: row.try_get("rfc")?,
        regimen: row.try_get("regimen")?,
        cp: row.try_get("cp")?,
        cursor_key: row.try_get("cursor_clave")?,
    })
}

fn plan_word(plan: Plan) -> &'static str {
    match plan {
        Plan::Pro => "pro",
        Plan::None => "none",
    }
}

fn limits_word(limits: Option<LimitMode>) -> &'static str {
    match limits {
        Some(LimitMode::Enforced) => "enforced",
        Some(LimitMode::Notice) => "notice",
        None => "inherit",
    }
}

#[async_trait]
impl CompanyTx for PostgresTx {
    async fn company(&mut self) -> Result<Option<Company>, StoreError> {
        let row = sqlx::query(concat!("SELECT ", company_columns!(), " FROM empresas WHERE empresa = $1"))
            .bind(self.empresa)
            .fetch_optional(self.connection())
            .await
            .map_err(store_error)?;
        row.as_ref().map(read_company).transpose().map_err(store_error)
    }

    async fn insert_company(&mut self, company: &Company, now: DateTime<Utc>) -> Result<(), StoreError> {
        let query = sqlx::query(
            "INSERT INTO empresas (empresa, nombre, plan, licencias, limites, api, franquicia, facturacion,
                                   anticipo_minimo, rfc, regimen, cp, cursor_clave, creada, vender_sin_existencia)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        )
        .bind(self.empresa)
        .bind(&company.nombre)
        .bind(plan_word(company.plan))
        .bind(company.licencias)
        .bind(limits_word(company.limites))
        .bind(company.api)
        .bind(company.franquicia)
        .bind(company.facturacion)
        .bind(company.anticipo_minimo)
        .bind(&company.rfc)
        .bind(company.regimen)
        .bind(&company.cp)
        .bind(&company.cursor_key[..])
        .bind(now)
        .bind(company.vender_sin_existencia);
        self.run(query).await?;
        self.insert_first_records(company).await
    }

    async fn update_company(&mut self, change: &CompanyChange) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE empresas SET nombre = coalesce($2, nombre), plan = coalesce($3, plan),
                 licencias = coalesce($4, licencias), limites = coalesce($5, limites), api = coalesce($6, api),
                 franquicia = coalesce($7, franquicia), facturacion = coalesce($8, facturacion),
                 anticipo_minimo = coalesce($9, anticipo_minimo), rfc = coalesce($10, rfc),
                 regimen = coalesce($11, regimen), cp = coalesce($12, cp),
                 vender_sin_existencia = coalesce($13, vender_sin_existencia)
             WHERE empresa = $1",
        )
        .bind(self.empresa)
        .bind(&change.nombre)
        .bind(change.plan.map(plan_word))
        .bind(change.licencias)
        .bind(change.limites.map(limits_word))
        .bind(change.api)
        .bind(change.franquicia)
        .bind(change.facturacion)
        .bind(change.anticipo_minimo)
        .bind(&change.rfc)
        .bind(change.regimen)
        .bind(&change.cp)
        .bind(change.vender_sin_existencia);
        self.run(query).await?;
        let Some(correo) = &change.correo else { return Ok(()) };
        let query = sqlx::query(
            "UPDATE usuarios SET correo = nullif($2, '')
             WHERE empresa = $1 AND clave = (SELECT min(clave) FROM usuarios WHERE empresa = $1)",
        );
        self.run(query.bind(self.empresa).bind(correo)).await
    }

    async fn insert_user(&mut self, user: &NewUser) -> Result<i64, StoreError> {
        let clave = self.next("usuarios", 1).await?;
        let query =
            sqlx::query("INSERT INTO usuarios (empresa, clave, nombre, correo, vendedor) VALUES ($1, $2, $3, $4, $5)")
                .bind(self.empresa)
                .bind(clave)
                .bind(&user.nombre)
                .bind(&user.correo)
                .bind(user.vendedor);
        self.run(query).await?;
        Ok(clave)
    }

    async fn disable_user(&mut self, usuario: i64) -> Result<bool, StoreError> {
        let query = sqlx::query("UPDATE usuarios SET activo = false WHERE empresa = $1 AND clave = $2");
        self.changes_one(query.bind(self.empresa).bind(usuario)).await
    }

    async fn user(&mut self, usuario: i64) -> Result<Option<(NewUser, bool)>, StoreError> {
        let row = sqlx::query(
            "SELECT nombre, correo, vendedor, activo FROM usuarios WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(usuario)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        let read = |row: PgRow| {
            let user = NewUser { nombre: row.try_get(0)?, correo: row.try_get(1)?, vendedor: row.try_get(2)? };
            Ok((user, row.try_get(3)?))
        };
        row.map(read).transpose().map_err(store_error)
    }

    async fn update_user(&mut self, usuario: i64, user: &NewUser, active: bool) -> Result<(), StoreError> {
        let query = sqlx::query(
            "UPDATE usuarios SET nombre = $3, correo = $4, vendedor = $5, activo = $6 WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.empresa)
        .bind(usuario)
        .bind(&user.nombre)
        .bind(&user.correo)
        .bind(user.vendedor)
        .bind(active);
        self.run(query).await
    }

    async fn first_user(&mut self) -> Result<Option<i64>, StoreError> {
        sqlx::query_scalar("SELECT clave FROM usuarios WHERE empresa = $1 ORDER BY clave LIMIT 1")
            .bind(self.empresa)
            .fetch_optional(self.connection())
            .await
            .map_err(store_error)
    }

    async fn is_active_user(&mut self, usuario: i64) -> Result<bool, StoreError> {
        self.exists("SELECT EXISTS (SELECT FROM usuarios WHERE empresa = $1 AND clave = $2 AND activo)", usuario).await
    }

    async fn is_salesperson(&mut self, usuario: i64) -> Result<bool, StoreError> {
        self.exists(
            "SELECT EXISTS (SELECT FROM usuarios WHERE empresa = $1 AND clave = $2 AND vendedor AND activo)",
            usuario,
        )
        .await
    }

    async fn insert_key(&mut self, key: &NewKey) -> Result<(), StoreError> {
        let query = sqlx::query(
            "INSERT INTO llaves (empresa, sufijo, secreto_sha256, usuario, permisos, vence, terminos, creada)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(self.empresa)
        .bind(&key.suffix)
        .bind(&key.secret_sha256[..])
        .bind(key.usuario)
        .bind(key.scopes.iter().map(Scope::name).collect::<Vec<_>>())
        .bind(key.expires)
        .bind(key.terms)
        .bind(key.creada);
        self.run(query).await
    }

    async fn accept_terms(&mut self, suffix: &str, terms: &'static str) -> Result<bool, StoreError> {
        let query = sqlx::query("UPDATE llaves SET terminos = $3 WHERE empresa = $1 AND sufijo = $2");
        self.changes_one(query.bind(self.empresa).bind(suffix.to_owned()).bind(terms)).await
    }

    async fn revoke_key(&mut self, suffix: &str, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let query =
            sqlx::query("UPDATE llaves SET revocada = coalesce(revocada, $3) WHERE empresa = $1 AND sufijo = $2");
        self.changes_one(query.bind(self.empresa).bind(suffix.to_owned()).bind(now)).await
    }
}

impl PostgresTx {
    /// Head office, main warehouse, price list 1 and the first units.
    async fn insert_first_records(&mut self, company: &Company) -> Result<(), StoreError> {
        let warehouse = self.next("almacenes", 1).await?;
        let list = self.next("listas_precios", 1).await?;
        let unit = self.next("unidades", FIRST_UNITS.len()).await?;
        let query = sqlx::query("INSERT INTO sucursales (empresa, clave, nombre, cp) VALUES ($1, 0, $3, $2)")
            .bind(self.empresa)
            .bind(&company.cp)
            .bind(FIRST_BRANCH);
        self.run(query).await?;
        let query = sqlx::query(
            "INSERT INTO almacenes (empresa, clave, codigo, nombre, sucursal, principal)
             VALUES ($1, $2, $3, $4, 0, true)",
        )
        .bind(self.empresa)
        .bind(warehouse)
        .bind(FIRST_WAREHOUSE.0)
        .bind(FIRST_WAREHOUSE.1);
        self.run(query).await?;
        let query = sqlx::query("INSERT INTO listas_precios (empresa, clave, nombre) VALUES ($1, $2, $3)")
            .bind(self.empresa)
            .bind(list)
            .bind(FIRST_PRICE_LIST);
        self.run(query).await?;
        let (names, keys): (Vec<_>, Vec<_>) = FIRST_UNITS.into_iter().unzip();
        let query = sqlx::query(
            "INSERT INTO unidades (empresa, clave, nombre, clave_sat)
             SELECT $1, $2 + n - 1, nombre, clave_sat
             FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS u (nombre, clave_sat, n)",
        )
        .bind(self.empresa)
        .bind(unit)
        .bind(names)
        .bind(keys);
        self.run(query).await
    }
}
