//! API keys and the requests counted for them.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::Row;
use sqlx::postgres::{PgExecutor, PgRow};
use svc_core::domain::company::CompanyId;
use svc_core::domain::quota::Period;
use svc_core::store::{KeyId, KeyRecord, MinuteUse, MonthUse, StoreError, Usage};

use crate::columns::used;
use crate::company::{company_columns, key_record};
use crate::database::Database;
use crate::error::store_error;

/// The statement that reads keys: where they come from, which companies are theirs, and which keys are asked for.
macro_rules! read_keys {
    ($from:literal, $companies:literal, $keys:literal) => {
        concat!(
            "SELECT e.*, l.sufijo, l.secreto_sha256, l.permisos, l.vence, l.revocada IS NOT NULL AS revocada, l.terminos,
                    l.usuario, u.activo, coalesce(m.usadas, 0) AS peticiones, coalesce(c.usadas, 0) AS operaciones
             FROM ",
            $from,
            " JOIN (SELECT ",
            company_columns!(),
            " FROM empresas ",
            $companies,
            ") e ON e.empresa = l.empresa
             JOIN usuarios u ON u.empresa = l.empresa AND u.clave = l.usuario
             LEFT JOIN llaves_minuto m ON m.empresa = l.empresa AND m.llave = l.sufijo AND m.minuto = $3
             LEFT JOIN cupos c ON c.empresa = l.empresa AND c.mes = $4
             WHERE ",
            $keys
        )
    };
}

/// Those of one company by a statement that names it; those of many by a plain read.
pub(crate) async fn keys(database: &Database, ids: &[KeyId], period: Period) -> Result<Vec<KeyRecord>, StoreError> {
    let (companies, suffixes): (Vec<i64>, Vec<&str>) = ids.iter().map(|id| (id.company.0, id.suffix.as_ref())).unzip();
    let Some(&first) = companies.first() else { return Ok(Vec::new()) };
    let query = if companies.iter().all(|company| *company == first) {
        sqlx::query(read_keys!("llaves l", "WHERE empresa = $1", "l.empresa = $1 AND l.sufijo = ANY ($2)")).bind(first)
    } else {
        sqlx::query(read_keys!(
            "unnest($1::bigint[], $2::text[]) AS pedida (empresa, sufijo) JOIN llaves l ON l.empresa = pedida.empresa",
            "",
            "l.sufijo = pedida.sufijo"
        ))
        .bind(companies)
    };
    let rows = query
        .bind(suffixes)
        .bind(period.minuto)
        .bind(period.mes)
        .fetch_all(database.of_all())
        .await
        .map_err(store_error)?;
    rows.iter().map(|row| key_record(row, period)).collect::<Result<_, _>>().map_err(store_error)
}

/// In one transaction, since a write to disk takes as long as many statements. Everyone locks rows in this order, by companies and then
/// by keys, so that servers that merge at once only wait for each other.
pub(crate) async fn add(database: &Database, usage: &Usage) -> Result<Usage, StoreError> {
    let companies = usage.by_company();
    let mut total = Usage::default();
    if let [(&company, usage)] = companies.iter().collect::<Vec<_>>()[..] {
        add_of_one(database.of_all(), company, usage, &mut total).await?;
        return Ok(total);
    }
    let mut connection = database.begin_for_all().await.map_err(store_error)?;
    for (company, usage) in companies {
        add_of_one(connection.statements(), company, &usage, &mut total).await?;
    }
    connection.commit().await.map_err(store_error)?;
    Ok(total)
}

async fn add_of_one(
    executor: impl PgExecutor<'_>,
    company: CompanyId,
    usage: &Usage,
    total: &mut Usage,
) -> Result<(), StoreError> {
    let rows = sqlx::query(
        "WITH de_llaves AS (
             INSERT INTO llaves_minuto AS m (empresa, llave, minuto, usadas)
             SELECT $1, n.llave, n.minuto, n.usadas
             FROM unnest($2::text[], $3::timestamptz[], $4::bigint[]) AS n (llave, minuto, usadas) ORDER BY n.llave
             ON CONFLICT (empresa, llave) DO UPDATE SET
                 usadas = CASE WHEN m.minuto = excluded.minuto THEN m.usadas + excluded.usadas
                               WHEN m.minuto < excluded.minuto THEN excluded.usadas
                               ELSE m.usadas END,
                 minuto = greatest(m.minuto, excluded.minuto)
             RETURNING llave, minuto, usadas
         ), de_la_empresa AS (
             INSERT INTO cupos AS c (empresa, mes, usadas)
             SELECT $1, n.mes, n.usadas FROM unnest($5::date[], $6::bigint[]) AS n (mes, usadas)
             WHERE EXISTS (SELECT FROM empresas e WHERE e.empresa = $1)
             ORDER BY n.mes
             ON CONFLICT (empresa, mes) DO UPDATE SET usadas = c.usadas + excluded.usadas
             RETURNING mes, usadas
         )
         SELECT llave, minuto, NULL::date AS mes, usadas FROM de_llaves
         UNION ALL SELECT NULL, NULL, mes, usadas FROM de_la_empresa",
    )
    .bind(company.0)
    .bind(usage.minutes.iter().map(|minute| minute.key.suffix.as_ref()).collect::<Vec<_>>())
    .bind(usage.minutes.iter().map(|minute| minute.minuto).collect::<Vec<DateTime<Utc>>>())
    .bind(counts(usage.minutes.iter().map(|minute| minute.usadas)))
    .bind(usage.months.iter().map(|month| month.mes).collect::<Vec<NaiveDate>>())
    .bind(counts(usage.months.iter().map(|month| month.usadas)))
    .fetch_all(executor)
    .await
    .map_err(store_error)?;
    rows.iter().try_for_each(|row| read(row, company, total)).map_err(store_error)
}

fn read(row: &PgRow, company: CompanyId, total: &mut Usage) -> Result<(), sqlx::Error> {
    let usadas = used(row, "usadas")?;
    if let Some(minuto) = row.try_get("minuto")? {
        let suffix: String = row.try_get("llave")?;
        total.minutes.push(MinuteUse { key: KeyId { company, suffix: suffix.into() }, minuto, usadas });
    } else {
        total.months.push(MonthUse { company, mes: row.try_get("mes")?, usadas });
    }
    Ok(())
}

fn counts(counts: impl Iterator<Item = u64>) -> Vec<i64> {
    counts.map(|count| i64::try_from(count).unwrap_or(i64::MAX)).collect()
}
