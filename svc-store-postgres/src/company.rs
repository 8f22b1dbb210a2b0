//! Companies, their users, API keys and signing certificates, and the monthly quota.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use sqlx::postgres::PgRow;
use svc_core::domain::certificate::SigningCertificate;
use svc_core::domain::company::{Company, FIRST_BRANCH, FIRST_PRICE_LIST, FIRST_UNITS, FIRST_WAREHOUSE, LimitMode};
use svc_core::domain::scope::KeyScopes;
use svc_core::domain::time::Timestamp;
use svc_core::store::{
    ClockMovement, CompanyChange, CompanyTx, ListedCertificate, ListedKey, ListedUser, MAX_AHEAD, NewKey, NewUser,
    StoreError,
};

use crate::fragment::company_columns;
use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(NewUser { nombre, correo, vendedor });

from_row! {
    struct StoredUser { user: NewUser = .., activo: bool }
}

/// A span of whole seconds, as `desfase` holds it.
pub(crate) fn seconds(count: i64) -> TimeDelta {
    TimeDelta::try_seconds(count).unwrap_or_default()
}

impl FromRow for ListedUser {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let mut user = Self::new(row.read("clave")?, FromRow::from_row(row)?, row.read("activo")?);
        user.used = row.read("uso")?;
        Ok(user)
    }
}

impl FromRow for ListedKey {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let scopes = KeyScopes::of_words(row.read::<_, Vec<String>>("permisos")?);
        let mut key = Self::new(row.read("sufijo")?, row.read("usuario")?, scopes, row.read("creada")?);
        key.expires = row.read("vence")?;
        key.revoked = row.read("revocada")?;
        key.terms = row.read("terminos")?;
        key.used = row.read("uso")?;
        Ok(key)
    }
}

from_row!(ListedCertificate { numero, rfc, desde, hasta, cargado, usado });

from_row!(Company {
    id: "empresa",
    nombre,
    plan,
    licencias,
    limites: (LimitMode::of("limites")),
    api,
    franquicia,
    facturacion,
    anticipo_minimo,
    vender_sin_existencia,
    enviar_documentos,
    rfc,
    regimen,
    cp,
    prueba,
    desfase: (seconds("desfase")),
    lugares: (places("lugares")),
    cursor_key: "cursor_clave",
});

/// The postal codes of branches, each after the branch's clave.
fn places(lugares: Vec<String>) -> Vec<(i64, String)> {
    let place = |text: String| text.split_once(' ').and_then(|(clave, cp)| Some((clave.parse().ok()?, cp.to_owned())));
    lugares.into_iter().filter_map(place).collect()
}

/// The word of a limit mode; a company without one inherits the service's.
fn limits_word(limits: Option<LimitMode>) -> &'static str {
    limits.map_or("inherit", |limits| limits.word())
}

from_row!(SigningCertificate { numero, rfc, desde, hasta, der: "certificado" });

#[async_trait]
impl CompanyTx for PostgresTx {
    async fn company(&mut self) -> Result<Option<Company>, StoreError> {
        // No `SELECT *`: once a migration adds a column, a prepared one fails for as long as its
        // connection lives.
        self.optional(sql!(
            concat!("SELECT ", company_columns!(), "
             FROM empresas e
             WHERE e.empresa = :empresa AND NOT e.incompleta"),
            empresa: self.empresa,
        ))
        .await
    }

    async fn insert_company(&mut self, company: &Company, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO empresas (
                 empresa, nombre, plan, licencias, limites, api, franquicia, facturacion, anticipo_minimo,
                 rfc, regimen, cp, prueba, cursor_clave, creada, vender_sin_existencia, enviar_documentos
             )
             VALUES (
                 :empresa, :nombre, :plan, :licencias, :limites, :api, :franquicia, :facturacion, :anticipo_minimo,
                 :rfc, :regimen, :cp, :prueba, :cursor_clave, :creada, :vender_sin_existencia,
                 :enviar_documentos
             )",
            empresa: self.empresa,
            limites: limits_word(company.limites),
            cursor_clave: company.cursor_key[..],
            creada: now;
            from company {
                nombre, plan, licencias, api, franquicia, facturacion, anticipo_minimo, rfc, regimen, cp, prueba,
                vender_sin_existencia, enviar_documentos
            }
        ))
        .await?;
        self.insert_first_records(company).await
    }

    async fn update_company(&mut self, change: &CompanyChange) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE empresas
             SET nombre = coalesce(:nombre, nombre),
                 plan = coalesce(:plan, plan),
                 licencias = coalesce(:licencias, licencias),
                 limites = coalesce(:limites, limites),
                 api = coalesce(:api, api),
                 franquicia = coalesce(:franquicia, franquicia),
                 facturacion = coalesce(:facturacion, facturacion),
                 anticipo_minimo = coalesce(:anticipo_minimo, anticipo_minimo),
                 rfc = coalesce(:rfc, rfc),
                 regimen = coalesce(:regimen, regimen),
                 cp = coalesce(:cp, cp),
                 vender_sin_existencia = coalesce(:vender_sin_existencia, vender_sin_existencia),
                 enviar_documentos = coalesce(:enviar_documentos, enviar_documentos),
                 color = nullif(coalesce(:color, color), ''),
                 direccion = nullif(coalesce(:direccion, direccion), ''),
                 telefono = nullif(coalesce(:telefono, telefono), ''),
                 correo = nullif(coalesce(:correo, correo), ''),
                 web = nullif(coalesce(:web, web), '')
             WHERE empresa = :empresa",
            empresa: self.empresa,
            limites: change.limites.map(limits_word),
            color: change.letterhead.color,
            direccion: change.letterhead.direccion,
            telefono: change.letterhead.telefono,
            correo: change.letterhead.correo,
            web: change.letterhead.web;
            from change {
                nombre, plan, licencias, api, franquicia, facturacion, anticipo_minimo, rfc, regimen, cp,
                vender_sin_existencia, enviar_documentos
            }
        ))
        .await?;
        if let Some(cp) = &change.cp {
            self.run(sql!(
                "UPDATE sucursales SET cp = :cp WHERE empresa = :empresa AND clave = 0",
                empresa: self.empresa,
                cp,
            ))
            .await?;
        }
        let Some(correo) = &change.correo else { return Ok(()) };
        let owner = self.first_user().await?;
        self.run(sql!(
            "UPDATE usuarios
             SET correo = nullif(:correo, '')
             WHERE empresa = :empresa AND clave = :owner",
            empresa: self.empresa,
            owner,
            correo,
        ))
        .await
    }

    async fn set_logo(&mut self, png: Option<&[u8]>) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE empresas SET logo = :logo WHERE empresa = :empresa",
            empresa: self.empresa,
            logo: png,
        ))
        .await
    }

    async fn move_clock(&mut self, movement: ClockMovement) -> Result<Option<TimeDelta>, StoreError> {
        let (by, to) = match movement {
            ClockMovement::By(span) => (Some(span.num_seconds()), None),
            ClockMovement::To(desfase) => (None, Some(desfase.num_seconds())),
        };
        let moved: Option<i64> = self
            .optional_value(sql!(
                "UPDATE empresas
                 SET desfase = coalesce(:hasta, desfase + :por)
                 WHERE empresa = :empresa AND prueba
                   AND coalesce(:hasta, desfase + :por) BETWEEN desfase AND :maximo
                 RETURNING desfase",
                empresa: self.empresa,
                hasta: to,
                por: by,
                maximo: MAX_AHEAD.num_seconds(),
            ))
            .await?;
        Ok(moved.map(seconds))
    }

    async fn insert_user(&mut self, user: &NewUser) -> Result<i64, StoreError> {
        let clave = self.next("usuarios", 1).await?;
        self.run(sql!(
            "INSERT INTO usuarios (empresa, clave, nombre, correo, vendedor)
             VALUES (:empresa, :clave, :nombre, :correo, :vendedor)",
            empresa: self.empresa,
            clave,
            nombre: user.nombre,
            correo: user.correo,
            vendedor: user.vendedor,
        ))
        .await?;
        Ok(clave)
    }

    async fn disable_user(&mut self, usuario: i64) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "UPDATE usuarios
             SET activo = false
             WHERE empresa = :empresa AND clave = :usuario",
            empresa: self.empresa,
            usuario,
        ))
        .await
    }

    async fn user(&mut self, usuario: i64) -> Result<Option<(NewUser, bool)>, StoreError> {
        let stored: Option<StoredUser> = self
            .optional(sql!(
                "SELECT nombre, correo, vendedor, activo
                 FROM usuarios
                 WHERE empresa = :empresa AND clave = :usuario
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                usuario,
            ))
            .await?;
        Ok(stored.map(|stored| (stored.user, stored.activo)))
    }

    async fn update_user(&mut self, usuario: i64, user: &NewUser, active: bool) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE usuarios
             SET nombre = :nombre, correo = :correo, vendedor = :vendedor, activo = :activo
             WHERE empresa = :empresa AND clave = :usuario",
            empresa: self.empresa,
            usuario,
            nombre: user.nombre,
            correo: user.correo,
            vendedor: user.vendedor,
            activo: active,
        ))
        .await
    }

    async fn first_user(&mut self) -> Result<Option<i64>, StoreError> {
        self.optional_value(sql!(
            "SELECT clave
             FROM usuarios
             WHERE empresa = :empresa
             ORDER BY activo DESC, clave
             LIMIT 1",
            empresa: self.empresa,
        ))
        .await
    }

    async fn users(&mut self, after: i64, max: u32) -> Result<Vec<ListedUser>, StoreError> {
        self.many(sql!(
            "SELECT u.clave, u.nombre, u.correo, u.vendedor, u.activo,
                    (
                        SELECT max(m.minuto)
                        FROM llaves_minuto m
                        WHERE m.empresa = :empresa
                          AND (
                              m.llave = '~' || u.clave
                              OR m.llave IN (
                                  SELECT l.sufijo FROM llaves l WHERE l.empresa = :empresa AND l.usuario = u.clave
                              )
                          )
                    ) AS uso
             FROM usuarios u
             WHERE u.empresa = :empresa AND u.clave > :despues
             ORDER BY u.clave
             LIMIT :max",
            empresa: self.empresa,
            despues: after,
            max: i64::from(max),
        ))
        .await
    }

    async fn listed_keys(&mut self, after: &str, max: u32) -> Result<Vec<ListedKey>, StoreError> {
        self.many(sql!(
            "SELECT l.sufijo, l.usuario, l.permisos, l.vence, l.revocada, l.terminos, l.creada, m.minuto AS uso
             FROM llaves l
             LEFT JOIN llaves_minuto m ON m.empresa = l.empresa AND m.llave = l.sufijo
             WHERE l.empresa = :empresa AND l.sufijo > :despues
             ORDER BY l.sufijo
             LIMIT :max",
            empresa: self.empresa,
            despues: after,
            max: i64::from(max),
        ))
        .await
    }

    async fn is_active_user(&mut self, usuario: i64) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (SELECT FROM usuarios WHERE empresa = :empresa AND clave = :usuario AND activo)",
            empresa: self.empresa,
            usuario,
        ))
        .await
    }

    async fn is_salesperson(&mut self, usuario: i64) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT FROM usuarios
                 WHERE empresa = :empresa AND clave = :usuario AND vendedor AND activo
             )",
            empresa: self.empresa,
            usuario,
        ))
        .await
    }

    async fn insert_key(&mut self, key: &NewKey) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO llaves (empresa, sufijo, secreto_sha256, usuario, permisos, vence, terminos, creada)
             VALUES (:empresa, :sufijo, :secreto_sha256, :usuario, :permisos, :vence, :terminos, :creada)",
            empresa: self.empresa,
            sufijo: key.suffix,
            secreto_sha256: key.secret_sha256[..],
            usuario: key.usuario,
            permisos: key.scopes.words().collect::<Vec<_>>(),
            vence: key.expires,
            terminos: key.terms,
            creada: key.creada,
        ))
        .await
    }

    async fn accept_terms(&mut self, suffix: &str, terms: &'static str) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "UPDATE llaves
             SET terminos = :terminos
             WHERE empresa = :empresa AND sufijo = :sufijo",
            empresa: self.empresa,
            sufijo: suffix,
            terminos: terms,
        ))
        .await
    }

    async fn revoke_key(&mut self, suffix: &str, now: DateTime<Utc>) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "UPDATE llaves
             SET revocada = coalesce(revocada, :ahora)
             WHERE empresa = :empresa AND sufijo = :sufijo",
            empresa: self.empresa,
            sufijo: suffix,
            ahora: now,
        ))
        .await
    }

    async fn signing_certificate(&mut self) -> Result<Option<SigningCertificate>, StoreError> {
        self.optional(sql!(
            "SELECT numero, rfc, desde, hasta, certificado
             FROM certificados
             WHERE empresa = :empresa
             ORDER BY orden DESC
             LIMIT 1",
            empresa: self.empresa,
        ))
        .await
    }

    async fn listed_certificates(&mut self) -> Result<Vec<ListedCertificate>, StoreError> {
        self.many(sql!(
            "SELECT numero, rfc, desde, hasta, cargado, usado
             FROM certificados
             WHERE empresa = :empresa
             ORDER BY orden DESC",
            empresa: self.empresa,
        ))
        .await
    }

    async fn signing_key(&mut self, numero: &str, dia: NaiveDate) -> Result<Option<Vec<u8>>, StoreError> {
        self.optional_value(sql!(
            "WITH primero AS (
                 UPDATE certificados
                 SET usado = :dia
                 WHERE empresa = :empresa AND numero = :numero AND usado IS DISTINCT FROM :dia
             )
             SELECT llave
             FROM certificados
             WHERE empresa = :empresa AND numero = :numero",
            empresa: self.empresa,
            numero,
            dia,
        ))
        .await
    }

    async fn save_certificate(
        &mut self,
        certificate: &SigningCertificate,
        sealed_key: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let orden = self.next("certificados", 1).await?;
        self.run(sql!(
            "INSERT INTO certificados (empresa, numero, orden, rfc, desde, hasta, certificado, llave, cargado)
             VALUES (:empresa, :numero, :orden, :rfc, :desde, :hasta, :certificado, :llave, :cargado)
             ON CONFLICT (empresa, numero) DO UPDATE
             SET orden = excluded.orden, rfc = excluded.rfc, desde = excluded.desde, hasta = excluded.hasta,
                 certificado = excluded.certificado, llave = excluded.llave, cargado = excluded.cargado",
            empresa: self.empresa,
            orden,
            certificado: certificate.der,
            llave: sealed_key,
            cargado: now;
            from certificate { numero, rfc, desde, hasta }
        ))
        .await
    }

    async fn use_quota(&mut self, mes: NaiveDate, operaciones: i64) -> Result<i64, StoreError> {
        self.value(sql!(
            "INSERT INTO cupos AS c (empresa, mes, usadas)
             SELECT :empresa,
                    least(
                        :mes,
                        date_trunc(
                            'month',
                            (now() + interval '1 minute' + make_interval(secs => e.desfase))
                                AT TIME ZONE 'America/Mexico_City'
                        )::date
                    ),
                    :operaciones
             FROM empresas e
             WHERE e.empresa = :empresa
             ON CONFLICT (empresa, mes) DO UPDATE SET usadas = c.usadas + excluded.usadas
             RETURNING usadas",
            empresa: self.empresa,
            mes,
            operaciones,
        ))
        .await
    }
}

impl PostgresTx {
    /// Head office, main warehouse, price list 1 and the first units.
    async fn insert_first_records(&mut self, company: &Company) -> Result<(), StoreError> {
        let warehouse = self.next("almacenes", 1).await?;
        let list = self.next("listas_precios", 1).await?;
        let unit = self.next("unidades", FIRST_UNITS.len()).await?;
        self.run(sql!(
            "INSERT INTO sucursales (empresa, clave, nombre, cp)
             VALUES (:empresa, 0, :nombre, :cp)",
            empresa: self.empresa,
            nombre: FIRST_BRANCH,
            cp: company.cp,
        ))
        .await?;
        self.run(sql!(
            "INSERT INTO almacenes (empresa, clave, codigo, nombre, sucursal, principal)
             VALUES (:empresa, :clave, :codigo, :nombre, 0, true)",
            empresa: self.empresa,
            clave: warehouse,
            codigo: FIRST_WAREHOUSE.0,
            nombre: FIRST_WAREHOUSE.1,
        ))
        .await?;
        self.run(sql!(
            "INSERT INTO listas_precios (empresa, clave, nombre)
             VALUES (:empresa, :clave, :nombre)",
            empresa: self.empresa,
            clave: list,
            nombre: FIRST_PRICE_LIST,
        ))
        .await?;
        self.run(sql!(
            "INSERT INTO unidades (empresa, clave, nombre, clave_sat)
             SELECT :empresa, :primera + orden - 1, nombre, clave_sat
             FROM unnest(:nombre::text[], :clave_sat::text[]) WITH ORDINALITY AS u (nombre, clave_sat, orden)",
            empresa: self.empresa,
            primera: unit;
            for unit in FIRST_UNITS { nombre: unit.0, clave_sat: unit.1 }
        ))
        .await
    }
}
