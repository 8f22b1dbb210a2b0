//! API keys with their usage, of all companies.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use svc_core::domain::company::{Company, CompanyId};
use svc_core::domain::quota::Period;
use svc_core::domain::scope::KeyScopes;
use svc_core::store::{KeyId, KeyRecord, KnownUse, LoggedRequest, MinuteUse, MonthUse, StoreError, Usage, UsageStore};

use crate::error::store_error;
use crate::fragment::company_columns;
use crate::request_log;
use crate::row::from_row;
use crate::run::Run;
use crate::sql::{Sql, sql};
use crate::store::PostgresStore;

from_row! {
    struct StoredKey {
        company: Company = ..,
        sufijo: Box<str>,
        secreto_sha256: [u8; 32],
        permisos: Vec<String>,
        vence: Option<DateTime<Utc>>,
        revocada: bool,
        terminos: Option<String>,
        usuario: i64,
        activo: bool,
        peticiones: u64,
        operaciones: u64,
    }
}

impl StoredKey {
    fn into_record(self, now: DateTime<Utc>) -> KeyRecord {
        let period = Period::ahead(now, self.company.desfase);
        KeyRecord {
            id: KeyId { company: self.company.id, suffix: self.sufijo },
            company: self.company,
            secret_sha256: self.secreto_sha256,
            // A scope that no operation needs, such as one of a later release, permits nothing.
            scopes: KeyScopes::of_words(self.permisos),
            expires: self.vence,
            revoked: self.revocada,
            terms: self.terminos,
            owner: self.usuario,
            owner_active: self.activo,
            used: KnownUse { period, minute: self.peticiones, month: self.operaciones },
        }
    }
}

from_row! {
    /// A key's count of a minute, or the company's of a month.
    struct Counted {
        empresa: CompanyId,
        llave: Option<Box<str>>,
        minuto: Option<DateTime<Utc>>,
        mes: Option<NaiveDate>,
        usadas: u64,
        /// Whether the stored minute lies ahead of the present.
        adelantado: bool,
    }
}

/// Reads keys. `$from` has the table of keys as `l`, and `$which` selects among them.
macro_rules! read_keys {
    ($from:literal, $which:literal) => {
        concat!(
            "SELECT ",
            company_columns!(),
            ",
                    l.sufijo, l.secreto_sha256, l.permisos, l.vence, l.revocada IS NOT NULL AS revocada, l.terminos,
                    l.usuario, u.activo, coalesce(m.usadas, 0) AS peticiones, coalesce(c.usadas, 0) AS operaciones
             FROM ",
            $from,
            "
             JOIN empresas e ON e.empresa = l.empresa
             JOIN usuarios u ON u.empresa = l.empresa AND u.clave = l.usuario
             LEFT JOIN llaves_minuto m ON m.empresa = l.empresa AND m.llave = l.sufijo AND m.minuto = :minuto
             LEFT JOIN cupos c ON c.empresa = l.empresa
                   AND c.mes = date_trunc(
                       'month',
                       (:ahora + make_interval(secs => e.desfase)) AT TIME ZONE 'America/Mexico_City'
                   )::date
             WHERE ",
            $which
        )
    };
}

#[async_trait]
impl UsageStore for PostgresStore {
    async fn keys(&self, ids: &[KeyId], now: DateTime<Utc>) -> Result<Vec<KeyRecord>, StoreError> {
        let (users, ids): (Vec<&KeyId>, Vec<&KeyId>) = ids.iter().partition(|id| id.user().is_some());
        let mut records = self.users_in_place_of_keys(&users, now).await?;
        let Some(first) = ids.first() else { return Ok(records) };
        // A distributed engine can route a statement that names one company.
        let statement = if ids.iter().all(|id| id.company == first.company) {
            sql!(
                read_keys!("llaves l", "l.empresa = :empresa AND l.sufijo = ANY (:sufijo)"),
                empresa: first.company,
                sufijo: ids.iter().map(|id| &id.suffix).collect::<Vec<_>>(),
                minuto: Period::of(now).minuto,
                ahora: now,
            )
        } else {
            sql!(
                read_keys!(
                    "unnest(:empresa::bigint[], :sufijo::text[]) AS pedida (empresa, sufijo)
             JOIN llaves l ON l.empresa = pedida.empresa",
                    "l.sufijo = pedida.sufijo"
                ),
                empresa: ids.iter().map(|id| id.company).collect::<Vec<_>>(),
                sufijo: ids.iter().map(|id| &id.suffix).collect::<Vec<_>>(),
                minuto: Period::of(now).minuto,
                ahora: now,
            )
        };
        let keys: Vec<StoredKey> = self.service.of_all().many(statement).await?;
        records.extend(keys.into_iter().map(|key| key.into_record(now)));
        Ok(records)
    }

    async fn add_usage(&self, usage: &Usage) -> Result<Usage, StoreError> {
        let companies = usage.by_company();
        if companies.len() > 1 && self.is_distributed().await? {
            // Every server locks rows in this order, by company and then by key, so that servers
            // that merge at once do not deadlock.
            let mut connection = self.service.begin_for_all().await.map_err(store_error)?;
            let mut counted = Vec::new();
            for (company, usage) in companies {
                counted.extend(add_to(&mut connection, &usage, adding(company, &usage)).await?);
            }
            connection.commit().await.map_err(store_error)?;
            return Ok(totals(counted));
        }
        let statement = match companies.keys().collect::<Vec<_>>()[..] {
            [&company] => adding(company, usage),
            _ => adding_to_several(usage),
        };
        Ok(totals(add_to(&mut self.service.of_all(), usage, statement).await?))
    }

    async fn log_requests(&self, requests: &[LoggedRequest]) -> Result<(), StoreError> {
        let mut connection = self.background.begin_for_all().await.map_err(store_error)?;
        for of_one in requests.chunk_by(|a, b| a.company == b.company) {
            let Some(LoggedRequest { company, .. }) = of_one.first() else { continue };
            connection.run(request_log::adding(*company, of_one)).await?;
        }
        connection.commit().await.map_err(store_error)
    }
}

impl PostgresStore {
    /// Users who signed in without a key, as keys that nobody can use.
    async fn users_in_place_of_keys(&self, users: &[&KeyId], now: DateTime<Utc>) -> Result<Vec<KeyRecord>, StoreError> {
        if users.is_empty() {
            return Ok(Vec::new());
        }
        let statement = sql!(
            read_keys!(
                "(
                 SELECT empresa, usuario, '~' || usuario AS sufijo, decode(repeat('00', 32), 'hex') AS secreto_sha256,
                        '{}'::text[] AS permisos, NULL::timestamptz AS vence, NULL::timestamptz AS revocada,
                        NULL::text AS terminos
                 FROM unnest(:empresa::bigint[], :usuario::bigint[]) AS pedida (empresa, usuario)
             ) l",
                "true"
            ),
            empresa: users.iter().map(|id| id.company).collect::<Vec<_>>(),
            usuario: users.iter().filter_map(|id| id.user()).collect::<Vec<_>>(),
            minuto: Period::of(now).minuto,
            ahora: now,
        );
        let found: Vec<StoredKey> = self.service.of_all().many(statement).await?;
        Ok(found.into_iter().map(|user| user.into_record(now)).collect())
    }
}

/// Runs `statement`, which adds `usage`; returns the new totals. Boxed, since the compiler cannot
/// follow its lifetimes through a loop over companies.
fn add_to<'r>(
    run: &'r mut impl Run,
    usage: &'r Usage,
    statement: Sql,
) -> BoxFuture<'r, Result<Vec<Counted>, StoreError>> {
    async move {
        let mut counted: Vec<Counted> = run.many(statement).await?;
        if !counted.iter().any(|counted| counted.adelantado) {
            return Ok(counted);
        }
        counted.retain(|counted| !counted.adelantado);
        for (company, usage) in usage.by_company() {
            counted.extend(run.many::<Counted>(bringing_back(company, &usage)).await?);
        }
        Ok(counted)
    }
    .boxed()
}

/// Adds usage; yields the new totals. A minute or month ahead of the database's clock by more than
/// a minute counts as the present one; the company's clock decides on the month. `$minutes` and
/// `$months` are the rows to add, `$company` is each one's company, and `$by` sorts them by it.
macro_rules! add_rows {
    ($company:literal, $by:literal, $minutes:literal, $months:literal) => {
        concat!(
            "WITH de_llaves AS (
             INSERT INTO llaves_minuto AS m (empresa, llave, minuto, usadas)
             SELECT ",
            $company,
            ", n.llave,
                    CASE WHEN n.minuto > now() + interval '1 minute' THEN date_trunc('minute', now()) ELSE n.minuto END,
                    n.usadas
             FROM ",
            $minutes,
            "
             ORDER BY ",
            $by,
            "n.llave
             ON CONFLICT (empresa, llave) DO UPDATE
             SET minuto = greatest(m.minuto, excluded.minuto),
                 usadas = CASE WHEN m.minuto = excluded.minuto THEN m.usadas + excluded.usadas
                               WHEN m.minuto < excluded.minuto THEN excluded.usadas
                               ELSE m.usadas END
             RETURNING empresa, llave, minuto, usadas, minuto > now() + interval '1 minute' AS adelantado
         ), de_empresas AS (
             INSERT INTO cupos AS c (empresa, mes, usadas)
             SELECT ",
            $company,
            ", least(n.mes, p.mes), sum(n.usadas)::bigint
             FROM ",
            $months,
            "
             CROSS JOIN LATERAL (
                 SELECT date_trunc(
                            'month',
                            (now() + interval '1 minute' + make_interval(secs => e.desfase))
                                AT TIME ZONE 'America/Mexico_City'
                        )::date
                 FROM empresas e
                 WHERE e.empresa = ",
            $company,
            "
             ) AS p (mes)
             GROUP BY ",
            $by,
            "least(n.mes, p.mes)
             ORDER BY ",
            $by,
            "least(n.mes, p.mes)
             ON CONFLICT (empresa, mes) DO UPDATE SET usadas = c.usadas + excluded.usadas
             RETURNING empresa, mes, usadas
         )
         SELECT empresa, llave, minuto, NULL::date AS mes, usadas, adelantado FROM de_llaves
         UNION ALL
         SELECT empresa, NULL, NULL, mes, usadas, false FROM de_empresas"
        )
    };
}

/// Adds the usage of one company, which a distributed engine can route.
fn adding(company: CompanyId, usage: &Usage) -> Sql {
    sql!(
        add_rows!(
            ":empresa",
            "",
            "unnest(:llave::text[], :minuto::timestamptz[], :peticiones::bigint[]) AS n (llave, minuto, usadas)",
            "unnest(:mes::date[], :operaciones::bigint[]) AS n (mes, usadas)"
        ),
        empresa: company;
        for minute in (usage.minutes) { llave: &minute.key.suffix, minuto, peticiones: count(minute.usadas) }
        for month in (usage.months) { mes, operaciones: count(month.usadas) }
    )
}

/// Adds the usage of several companies, where tables are not distributed.
fn adding_to_several(usage: &Usage) -> Sql {
    sql!(
        add_rows!(
            "n.empresa",
            "n.empresa, ",
            "unnest(:de::bigint[], :llave::text[], :minuto::timestamptz[], :peticiones::bigint[])
                 AS n (empresa, llave, minuto, usadas)",
            "unnest(:empresa::bigint[], :mes::date[], :operaciones::bigint[]) AS n (empresa, mes, usadas)"
        );
        for minute in (usage.minutes) {
            de: minute.key.company, llave: &minute.key.suffix, minuto, peticiones: count(minute.usadas)
        }
        for month in (usage.months) { empresa: month.company, mes, operaciones: count(month.usadas) }
    )
}

/// Makes minutes that were stored ahead of the present the present one, and adds the usage, which
/// [`add_rows`] ignores in this case; yields the new totals.
fn bringing_back(company: CompanyId, usage: &Usage) -> Sql {
    sql!(
        "UPDATE llaves_minuto m
         SET minuto = date_trunc('minute', now()), usadas = m.usadas + n.usadas
         FROM unnest(:llave::text[], :peticiones::bigint[]) AS n (llave, usadas)
         WHERE m.empresa = :empresa AND m.llave = n.llave AND m.minuto > now() + interval '1 minute'
         RETURNING m.empresa, m.llave, m.minuto, NULL::date AS mes, m.usadas, false AS adelantado",
        empresa: company;
        for minute in (usage.minutes) { llave: &minute.key.suffix, peticiones: count(minute.usadas) }
    )
}

fn totals(counted: Vec<Counted>) -> Usage {
    let mut total = Usage::default();
    for Counted { empresa: company, llave, minuto, mes, usadas, .. } in counted {
        if let (Some(suffix), Some(minuto)) = (llave, minuto) {
            total.minutes.push(MinuteUse { key: KeyId { company, suffix }, minuto, usadas });
        } else if let Some(mes) = mes {
            total.months.push(MonthUse { company, mes, usadas });
        }
    }
    total
}

fn count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
