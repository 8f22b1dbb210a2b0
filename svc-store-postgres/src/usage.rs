//! API keys and the requests counted for them.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::Row;
use sqlx::postgres::PgRow;
use svc_core::domain::company::CompanyId;
use svc_core::domain::quota::Period;
use svc_core::store::{KeyId, KeyRecord, MinuteUse, MonthUse, StoreError, Usage};

use crate::columns::used;
use crate::company::{company_columns, key_record};
use crate::database::Database;
use crate::error::store_error;

pub(crate) async fn keys(database: &Database, ids: &[KeyId], period: Period) -> Result<Vec<KeyRecord>, StoreError> {
    let (companies, suffixes) = columns(ids);
    let rows = sqlx::query(concat!(
        "SELECT e.*, l.sufijo, l.secreto_sha256, l.permisos, l.vence, l.revocada IS NOT NULL AS revocada, l.terminos,
                l.usuario, u.activo, coalesce(m.usadas, 0) AS peticiones, coalesce(c.usadas, 0) AS operaciones
         FROM unnest($1::bigint[], $2::text[]) AS pedida (empresa, sufijo)
         JOIN llaves l ON l.empresa = pedida.empresa AND l.sufijo = pedida.sufijo
         JOIN (SELECT ",
        company_columns!(),
        " FROM empresas) e ON e.empresa = l.empresa
         JOIN usuarios u ON u.empresa = l.empresa AND u.clave = l.usuario
         LEFT JOIN llaves_minuto m ON m.empresa = l.empresa AND m.llave = l.sufijo AND m.minuto = $3
         LEFT JOIN cupos c ON c.empresa = l.empresa AND c.mes = $4"
    ))
    .bind(companies)
    .bind(suffixes)
    .bind(period.minuto)
    .bind(period.mes)
    .fetch_all(database.of_all())
    .await
    .map_err(store_error)?;
    rows.iter().map(|row| key_record(row, period)).collect::<Result<_, _>>().map_err(store_error)
}

/// The rows of each table are locked in one order by everyone, so that servers that merge at once only wait for each other.
pub(crate) async fn add(database: &Database, usage: &Usage) -> Result<Usage, StoreError> {
    let (companies, keys) = columns(usage.minutes.iter().map(|minute| &minute.key));
    let minutes: Vec<DateTime<Utc>> = usage.minutes.iter().map(|minute| minute.minuto).collect();
    let months: Vec<NaiveDate> = usage.months.iter().map(|month| month.mes).collect();
    let rows = sqlx::query(
        "WITH de_llaves AS (
             INSERT INTO llaves_minuto AS m (empresa, llave, minuto, usadas)
             SELECT n.* FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::bigint[]) AS n ORDER BY 1, 2
             ON CONFLICT (empresa, llave) DO UPDATE SET
                 usadas = CASE WHEN m.minuto = excluded.minuto THEN m.usadas + excluded.usadas
                               WHEN m.minuto < excluded.minuto THEN excluded.usadas
                               ELSE m.usadas END,
                 minuto = greatest(m.minuto, excluded.minuto)
             RETURNING empresa, llave, minuto, usadas
         ), de_empresas AS (
             INSERT INTO cupos AS c (empresa, mes, usadas)
             SELECT n.empresa, n.mes, n.usadas FROM unnest($5::bigint[], $6::date[], $7::bigint[]) AS n (empresa, mes, usadas)
             WHERE EXISTS (SELECT FROM empresas e WHERE e.empresa = n.empresa)
             ORDER BY 1, 2
             ON CONFLICT (empresa, mes) DO UPDATE SET usadas = c.usadas + excluded.usadas
             RETURNING empresa, mes, usadas
         )
         SELECT empresa, llave, minuto, NULL::date AS mes, usadas FROM de_llaves
         UNION ALL SELECT empresa, NULL, NULL, mes, usadas FROM de_empresas",
    )
    .bind(companies)
    .bind(keys)
    .bind(minutes)
    .bind(counts(usage.minutes.iter().map(|minute| minute.usadas)))
    .bind(usage.months.iter().map(|month| month.company.0).collect::<Vec<_>>())
    .bind(months)
    .bind(counts(usage.months.iter().map(|month| month.usadas)))
    .fetch_all(database.of_all())
    .await
    .map_err(store_error)?;
    let mut total = Usage::default();
    rows.iter().try_for_each(|row| read(row, &mut total)).map_err(store_error)?;
    Ok(total)
}

fn read(row: &PgRow, total: &mut Usage) -> Result<(), sqlx::Error> {
    let company = CompanyId(row.try_get("empresa")?);
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

fn columns<'a>(ids: impl IntoIterator<Item = &'a KeyId>) -> (Vec<i64>, Vec<&'a str>) {
    ids.into_iter().map(|id| (id.company.0, id.suffix.as_ref())).unzip()
}
