//! The rules of imported records, and what several resources share.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::domain::accounting::{LedgerEntry, OpeningBalance, opening_entry};
use crate::domain::company::Company;
use crate::domain::currency::PESO;
use crate::domain::payable::validate_cents;
use crate::domain::quantity::Balance;
use crate::domain::rfc::{Rfc, RfcFault};
use crate::domain::sat::{self, Currencies, SatKey};
use crate::domain::text::parse_uuid;
use crate::domain::time::Timestamp;
use crate::error::Code;
use crate::json::{Fault, Text};
use crate::record::{Import as Imported, Reference, Value};
use crate::store::{Conflict, Naming, Parents, Series, StoreError, Tx};

/// The branch of records that name none.
pub(in crate::operations) const HEAD_OFFICE: i64 = 0;

/// The largest absolute value of an imported integer: claves, folios, references and counts.
///
/// JSON readers that store numbers as doubles are exact up to 2⁵³ − 1 = 9 007 199 254 740 991 (RFC
/// 8259, §6). This limit leaves 7·10¹² claves below that bound, so that records created after the
/// largest import also have exact claves, and no counter overflows.
pub(in crate::operations) const MAX_INTEGER: i64 = 9_000_000_000_000_000;

/// Folios from here on come from another numbering and do not advance the counter of their series.
pub(in crate::operations) const NO_SERIES: i64 = 1_000_000_000_000;

/// When an import or an edit runs, and in whose places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImportMoment<'c> {
    /// The company's time.
    pub(crate) now: Timestamp,
    pub(crate) company: &'c Company,
}

impl ImportMoment<'_> {
    /// The present day where the company is.
    pub(crate) fn today(&self) -> NaiveDate {
        self.now.get().with_timezone(&self.company.zone()).date_naive()
    }

    /// The present day at a branch.
    pub(crate) fn day_at(&self, sucursal: i64) -> NaiveDate {
        self.now.get().with_timezone(&self.company.zone_of(sucursal)).date_naive()
    }
}

/// The rules of a record that can be imported.
pub(crate) trait Rules: Imported {
    /// The field that names another record of the same kind, which may come later in the file.
    const PARENT: Option<(&'static str, Parents)> = None;

    /// Validates what the field types cannot.
    fn check(&self) -> Result<(), Fault>;

    /// The clave in [`Self::PARENT`].
    fn parent(&self) -> Option<i64> {
        None
    }

    /// Removes the clave in [`Self::PARENT`].
    fn clear_parent(&mut self) {}

    /// Replaces names by claves.
    fn look_up(
        rows: &mut [Self],
        tx: &mut dyn Tx,
        at: ImportMoment<'_>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send {
        let _ = (rows, tx, at);
        async { Ok(()) }
    }

    /// Normalizes the record and fills in defaults. It must be idempotent.
    fn normalize(&mut self, clave: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        let _ = (clave, at);
        Ok(())
    }

    /// Runs after the records were inserted.
    fn follow_up(
        rows: &[Self],
        tx: &mut dyn Tx,
        at: ImportMoment<'_>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send {
        let _ = (rows, tx, at);
        async { Ok(()) }
    }
}

/// Resolves the names in `field`; an unknown name is a conflict, and so is one of several records.
pub(in crate::operations) async fn look_up_names<'r, const MAX: usize>(
    tx: &mut dyn Tx,
    naming: Naming,
    field: &str,
    references: impl Iterator<Item = &'r mut Reference<MAX>> + Send,
) -> Result<(), StoreError> {
    look_up_claves(tx, naming, field, references.map(|reference| (reference, None))).await
}

/// Resolves the names in `field`. A clave beside a name says which of several records is meant; it
/// counts for nothing if its record has another name.
pub(in crate::operations) async fn look_up_claves<'r, const MAX: usize>(
    tx: &mut dyn Tx,
    naming: Naming,
    field: &str,
    references: impl Iterator<Item = (&'r mut Reference<MAX>, Option<i64>)> + Send,
) -> Result<(), StoreError> {
    let references: Vec<_> = references.collect();
    let names = distinct(references.iter().map(|(reference, _)| &*reference.name));
    let found = tx.named(naming, &names).await?;
    for (reference, clave) in references {
        let records = found.get(&*reference.name).ok_or_else(|| Conflict::Reference(field.to_owned()))?;
        let own = clave.filter(|clave| records.claves.contains(clave)).or(records.clave);
        reference.clave = Some(own.ok_or_else(|| Conflict::Ambiguous(field.to_owned()))?);
    }
    Ok(())
}

/// Resolves the SKUs of records that have no product.
pub(in crate::operations) async fn look_up_skus<'r>(
    tx: &mut dyn Tx,
    records: impl Iterator<Item = (&'r mut Option<i64>, Option<&'r str>)> + Send,
    unknown: UnknownSku,
) -> Result<(), StoreError> {
    let unnamed: Vec<_> = records
        .filter(|(producto, _)| producto.is_none())
        .filter_map(|(producto, sku)| Some((producto, sku?)))
        .collect();
    let skus = distinct(unnamed.iter().map(|(_, sku)| *sku));
    if skus.is_empty() {
        return Ok(());
    }
    let found = tx.named(Naming::Product, &skus).await?;
    if unknown == UnknownSku::Refused && found.len() < skus.len() {
        return Err(Conflict::Reference("sku".to_owned()).into());
    }
    for (producto, sku) in unnamed {
        *producto = found.get(sku).and_then(|records| records.clave);
    }
    Ok(())
}

/// What to do with a SKU that no product has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::operations) enum UnknownSku {
    /// The line is refused.
    Refused,
    /// The record keeps the SKU and has no product.
    Kept,
}

pub(in crate::operations) fn distinct<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Advances the counters of folios past those of imported documents: type, series, folio.
pub(in crate::operations) async fn move_past_folios<'r>(
    tx: &mut dyn Tx,
    folios: impl Iterator<Item = (&'static str, Option<&'r str>, i64)> + Send,
) -> Result<(), StoreError> {
    // Two imports must lock the counters in the same order.
    let mut last = BTreeMap::new();
    for (tipo, serie, folio) in folios.filter(|(_, _, folio)| *folio < NO_SERIES) {
        let greatest = last.entry((tipo, serie.unwrap_or_default())).or_insert(folio);
        *greatest = folio.max(*greatest);
    }
    for ((tipo, serie), folio) in last {
        tx.advance_series(Series::Folios { tipo, serie }, folio).await?;
    }
    Ok(())
}

/// Posts balances of imported records, each on its day, against the opening account: one entry for
/// each day, or more where a sum would have too many digits.
pub(in crate::operations) async fn open_balances(
    tx: &mut dyn Tx,
    balances: impl Iterator<Item = (NaiveDate, OpeningBalance)> + Send,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut entries = Vec::new();
    let mut sums: BTreeMap<NaiveDate, (OpeningBalance, Option<LedgerEntry>)> = BTreeMap::new();
    for (dia, balance) in balances {
        let more = sums.get(&dia).map_or(balance, |(sum, _)| sum.plus(balance));
        let sum = if let Ok(entry) = opening_entry(dia, more) {
            (more, entry)
        } else {
            let entry = opening_entry(dia, balance).map_err(|_| Conflict::Value("saldo".to_owned()))?;
            (balance, entry)
        };
        let is_apart = sum.0 != more;
        let before = sums.insert(dia, sum);
        entries.extend(before.filter(|_| is_apart).and_then(|(_, entry)| entry));
    }
    entries.extend(sums.into_values().filter_map(|(_, entry)| entry));
    for entry in &entries {
        tx.insert_entry(entry, now).await?;
    }
    Ok(())
}

/// Uses the clave as the folio of a record that has none.
pub(in crate::operations) fn own_folio<const MAX: usize>(folio: &mut Option<Text<MAX>>, clave: i64) {
    folio.get_or_insert_with(|| Text::unchecked(clave.to_string()));
}

/// Uses pesos if there is no currency.
pub(in crate::operations) fn in_pesos(moneda: &mut Option<SatKey<Text<3>, Currencies>>) {
    moneda.get_or_insert_with(|| SatKey::unchecked(Text::unchecked(PESO)));
}

/// Fiscal folios are stored in lower case.
pub(in crate::operations) fn lower_case<const MAX: usize>(uuid: &mut Option<Text<MAX>>) {
    if let Some(uuid) = uuid {
        *uuid = Text::unchecked(uuid.to_lowercase());
    }
}

/// Fails with a fault of `field` unless `fine`.
pub(in crate::operations) fn require(fine: bool, field: &'static str, text: &'static str) -> Result<(), Fault> {
    if fine { Ok(()) } else { Err(Fault::new(Code::DatoInvalido, field, text)) }
}

/// An RFC as it is stored: in upper case.
pub(in crate::operations) fn parsed_rfc(rfc: Option<&str>) -> Result<Option<Text<13>>, Fault> {
    let fault = |fault: RfcFault| Fault::new(Code::RfcInvalido, "rfc", fault.to_string());
    let rfc = rfc.map(Rfc::parse).transpose().map_err(fault)?;
    Ok(rfc.map(|rfc| Text::unchecked(rfc.as_str())))
}

pub(in crate::operations) fn require_currency(moneda: Option<&str>) -> Result<(), Fault> {
    require(moneda.is_none_or(|key| sat::currency(key).is_some()), "moneda", "no está en el catálogo del SAT")
}

/// Requires every integer of a record to be within [`MAX_INTEGER`].
pub(in crate::operations) fn require_exact_integers<R: Rules>(record: &R) -> Result<(), Fault> {
    let mut values = Vec::with_capacity(R::SPEC.columns.len());
    record.values(&mut values);
    let beyond =
        |value: &Value<'_>| matches!(value, Value::Integer(value) if value.unsigned_abs() > MAX_INTEGER as u64);
    match values.iter().position(beyond) {
        Some(at) => {
            let text = format!("debe ser un entero de {} a {MAX_INTEGER}", -MAX_INTEGER);
            Err(Fault::new(Code::DatoInvalido, R::SPEC.columns[at], text))
        }
        None => Ok(()),
    }
}

pub(in crate::operations) fn require_cents(balance: Option<Balance>, field: &'static str) -> Result<(), Fault> {
    balance.map_or(Ok(()), |balance| validate_cents(balance, field))
}

pub(in crate::operations) fn require_clave(clave: Option<i64>) -> Result<(), Fault> {
    require(clave.is_none_or(|clave| clave > 0), "clave", "debe ser un entero positivo")
}

pub(in crate::operations) fn require_uuid(uuid: Option<&str>, field: &'static str) -> Result<(), Fault> {
    require(uuid.is_none_or(|text| parse_uuid(text).is_some()), field, "debe ser un folio fiscal de 36 caracteres")
}
