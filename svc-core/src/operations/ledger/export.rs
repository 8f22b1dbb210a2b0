//! The files of electronic accounting.

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};

use bytes::Bytes;
use chrono::NaiveDate;
use chrono_tz::America::Mexico_City;
use schemars::JsonSchema;
use serde::Deserialize;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::chart::Chart;
use crate::domain::accounting::electronic::{
    self, AccountTotals, BooksHeading, EntriesRequest, ListedAccount, ReportedEntry, ReportedLine, Voucher,
};
use crate::domain::accounting::{Account, LedgerDocument, RequestKind, Submission, bank_subaccount, grouping_name};
use crate::domain::currency::PESO;
use crate::domain::rfc::GENERIC_NATIONAL;
use crate::domain::sat;
use crate::domain::time::{CalendarMonth, Date};
use crate::error::{Code, Error};
use crate::json::Exact;
use crate::operation::{Download, File, Spec};
use crate::store::{BankAccountName, BooksOfMonth, BooksRequest, Reader, StoredEntry};

/// A document of electronic accounting, as the authority takes it: XML of version 1.3.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportLedger {
    /// Which document.
    pub que: LedgerDocument,
    /// The month (`2026-11`); of a trial balance also `2026-13`, the closing of the year.
    #[schemars(extend("pattern" = r"^20(1[5-9]|[2-9]\d)-(0[1-9]|1[0-3])$"))]
    pub mes: Exact<7>,
    /// Of a trial balance: the first of its month (`N`, if left out) or a correction (`C`).
    pub tipo_envio: Option<Submission>,
    /// Of a correction: the day on which the books were last changed; the last on which an entry of
    /// the month was written, if left out.
    pub fecha_modificacion: Option<Date>,
    /// Of entries: why the authority asked for them; `AF` if left out.
    pub tipo_solicitud: Option<RequestKind>,
    /// Of entries: the number of the audit's order, which `AF` and `FC` have.
    #[schemars(extend("pattern" = pattern(ORDER)))]
    pub num_orden: Option<Exact<13>>,
    /// Of entries: the number of the refund or compensation, which `DE` and `CO` have.
    #[schemars(extend("pattern" = pattern(PROCEDURE)))]
    pub num_tramite: Option<Exact<14>>,
    /// Whether the document is zipped, under the name that the authority wants.
    pub zip: Option<bool>,
}

/// The forms of an order's number and of a refund's or compensation's: `A` is a capital letter, `0`
/// a digit.
const ORDER: &str = "AAA0000000/00";
const PROCEDURE: &str = "AA000000000000";

/// What a schema says of a text of such a form.
fn pattern(form: &str) -> String {
    format!("^{}$", form.replace('A', "[A-Z]").replace('0', "\\d"))
}

/// The content types of a document and of its archive.
const XML: &str = "application/xml";
const ZIP: &str = "application/zip";

/// The years of the schemas.
const YEARS: std::ops::RangeInclusive<i32> = 2015..=2099;

/// The month that stands for the closing of a year.
const CLOSING: u32 = 13;

impl Download for ExportLedger {
    const SPEC: Spec = Spec::new()
        .named("ledger.export")
        .file(XML)
        .or(&[ZIP])
        .errors(&[Code::DocumentoNoDisponible, Code::EstadoInvalido]);

    async fn read(&self, reader: &dyn Reader) -> Result<File, Error> {
        let (year, month) = self.month()?;
        self.validate_request()?;
        let cierre = month == CLOSING;
        let first = NaiveDate::from_ymd_opt(year, month.min(12), 1).unwrap_or_default();
        let polizas = self.que == LedgerDocument::Polizas;
        let request = BooksRequest { desde: first, hasta: CalendarMonth::of(first).last(), cierre, polizas };
        let books = reader.books(request).await?;
        let rfc = books.rfc.clone().ok_or_else(|| {
            Error::new(Code::EstadoInvalido).message("la empresa no tiene RFC, que llevan los documentos")
        })?;
        if polizas && books.polizas.is_empty() {
            return Err(Error::new(Code::DocumentoNoDisponible).message("el mes no tiene pólizas"));
        }
        let kind = match self.que {
            LedgerDocument::Catalogo => "CT".to_owned(),
            LedgerDocument::Balanza => format!("B{}", self.submission().word()),
            LedgerDocument::Polizas => "PL".to_owned(),
        };
        let stem = format!("{rfc}{year}{month:02}{kind}");
        let (zipped, export) = (self.zip.unwrap_or_default(), self.clone());
        let xml = format!("{stem}.xml");
        let (name, content) = if zipped { (format!("{stem}.zip"), ZIP) } else { (xml.clone(), XML) };
        let make = move || {
            let document = export.document(BooksHeading { rfc: &rfc, year, month }, books)?;
            if zipped { archive(&xml, &document) } else { Ok(document.into()) }
        };
        Ok(File::made_by(make).named(name).of_type(content))
    }
}

/// A ZIP archive of one file.
fn archive(name: &str, document: &str) -> Result<Bytes, Error> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file(name, SimpleFileOptions::default()).map_err(Error::internal)?;
    archive.write_all(document.as_bytes()).map_err(Error::internal)?;
    Ok(archive.finish().map_err(Error::internal)?.into_inner().into())
}

impl ExportLedger {
    fn submission(&self) -> Submission {
        self.tipo_envio.unwrap_or(Submission::Normal)
    }

    fn month(&self) -> Result<(i32, u32), Error> {
        let invalid = |text: &str| Error::field(Code::DatoInvalido, "mes", text);
        let shape = || invalid("debe ser un mes YYYY-MM, o YYYY-13 para el cierre del año");
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let (year, month) = self
            .mes
            .split_once('-')
            .filter(|(year, month)| year.len() == 4 && digits(year) && digits(month))
            .ok_or_else(shape)?;
        let (year, month) = (year.parse().map_err(|_| shape())?, month.parse().map_err(|_| shape())?);
        if !(1..=CLOSING).contains(&month) {
            return Err(shape());
        }
        if month == CLOSING && self.que != LedgerDocument::Balanza {
            return Err(invalid("el mes 13 es solo de la balanza"));
        }
        if !YEARS.contains(&year) {
            return Err(invalid("el año va de 2015 a 2099"));
        }
        Ok((year, month))
    }

    /// Refuses numbers of another form than the schema's, and a kind of request without its number.
    fn validate_request(&self) -> Result<(), Error> {
        let shaped = |text: &str, form: &str| {
            text.len() == form.len()
                && text.bytes().zip(form.bytes()).all(|(byte, kind)| match kind {
                    b'A' => byte.is_ascii_uppercase(),
                    b'0' => byte.is_ascii_digit(),
                    other => byte == other,
                })
        };
        for (field, number, form) in
            [("num_orden", self.num_orden.as_deref(), ORDER), ("num_tramite", self.num_tramite.as_deref(), PROCEDURE)]
        {
            if number.is_some_and(|number| !shaped(number, form)) {
                return Err(Error::field(Code::DatoInvalido, field, format_args!("debe ser de la forma {form}")));
            }
        }
        let missing = |field| Err(Error::field(Code::DatoRequerido, field, "hace falta con ese tipo de solicitud"));
        match self.tipo_solicitud {
            Some(RequestKind::ActoDeFiscalizacion | RequestKind::FiscalizacionCompulsa) if self.num_orden.is_none() => {
                missing("num_orden")
            }
            Some(RequestKind::Devolucion | RequestKind::Compensacion) if self.num_tramite.is_none() => {
                missing("num_tramite")
            }
            _ => Ok(()),
        }
    }

    /// The day on which the books of a correction were last changed: the one in the request, or
    /// else the last on which an entry of the month was written, in the company's place.
    fn modified(&self, books: &BooksOfMonth, heading: BooksHeading<'_>) -> Option<String> {
        let zone = books.cp.as_deref().and_then(sat::time_zone).unwrap_or(Mexico_City);
        let written = || books.modificada.map(|at| at.with_timezone(&zone).date_naive());
        let last = || {
            let first = NaiveDate::from_ymd_opt(heading.year, heading.month.min(12), 1)?;
            Some(CalendarMonth::of(first).last())
        };
        match (self.fecha_modificacion, self.submission()) {
            (Some(Date(day)), _) => Some(day.to_string()),
            (None, Submission::Complementaria) => written().or_else(last).map(|day| day.to_string()),
            (None, Submission::Normal) => None,
        }
    }

    fn document(&self, heading: BooksHeading<'_>, books: BooksOfMonth) -> Result<String, Error> {
        let modified = self.modified(&books, heading);
        let BooksOfMonth { cuentas, saldos, polizas, bancos, .. } = books;
        let chart = Chart::of(cuentas);
        let document = match self.que {
            LedgerDocument::Catalogo | LedgerDocument::Balanza => {
                let mut table = AccountTable::of(&chart, &bancos);
                for row in &saldos {
                    let Some(codigo) = row.codigos.first() else { continue };
                    let totals = AccountTotals { inicial: row.saldo_inicial, debe: row.cargos, haber: row.abonos };
                    table.add(&chart, &row.cuenta, codigo, totals);
                }
                let rows = table.rows();
                if self.que == LedgerDocument::Balanza {
                    electronic::trial_balance(heading, self.submission(), modified.as_deref(), &rows)
                } else {
                    electronic::catalogue(heading, &rows.into_iter().map(|(account, _)| account).collect::<Vec<_>>())
                }
            }
            LedgerDocument::Polizas => {
                let request = EntriesRequest {
                    tipo: self.tipo_solicitud.unwrap_or(RequestKind::ActoDeFiscalizacion),
                    orden: self.num_orden.as_deref(),
                    tramite: self.num_tramite.as_deref(),
                };
                let reported: Vec<_> = polizas.into_iter().map(|entry| reported(&chart, entry)).collect();
                electronic::entries(heading, request, &reported)
            }
        };
        document.map_err(Error::internal)
    }
}

/// The accounts by their numbers, under the ledger accounts of the SAT's list.
#[derive(Default)]
struct AccountTable {
    /// The names of bank accounts, by what their subaccounts' numbers end in.
    banks: BTreeMap<String, String>,
    accounts: BTreeMap<String, (ListedAccount, AccountTotals)>,
    /// By the code of three digits.
    ledger: BTreeMap<String, AccountTotals>,
}

impl AccountTable {
    /// All accounts that documents are posted to, the company's own, and its bank accounts.
    fn of(chart: &Chart, bancos: &[BankAccountName]) -> Self {
        let banks = bancos.iter().map(|BankAccountName { clave, nombre, moneda }| {
            let currency = if moneda == PESO { String::new() } else { format!(" ({moneda})") };
            (bank_subaccount(*clave), format!("{nombre}{currency}"))
        });
        let mut table = Self { banks: banks.collect(), ..Self::default() };
        let codes = Account::ALL.iter().map(|account| account.word());
        for codigo in codes.chain(chart.own().iter().map(|account| account.codigo.as_str())) {
            table.add(chart, chart.number(codigo), codigo, AccountTotals::default());
        }
        let banks = Account::Bancos.word();
        for subaccount in table.banks.keys().cloned().collect::<Vec<_>>() {
            table.add(chart, &format!("{}{subaccount}", chart.number(banks)), banks, AccountTotals::default());
        }
        table
    }

    fn add(&mut self, chart: &Chart, numero: &str, codigo: &str, totals: AccountTotals) {
        let agrupador = chart.group(codigo);
        let mayor = agrupador.split_once('.').map_or(agrupador, |(mayor, _)| mayor);
        // A bank account's own subaccount, under the present number of the account of banks or
        // another.
        let bank = (codigo == Account::Bancos.word())
            .then(|| self.banks.iter().find(|(subaccount, _)| numero.ends_with(subaccount.as_str())))
            .flatten();
        let nombre = match bank {
            Some((_, bank)) => format!("{}: {bank}", chart.name(codigo)),
            None => chart.name(codigo).to_owned(),
        };
        let listed = || ListedAccount {
            agrupador: agrupador.to_owned(),
            numero: numero.to_owned(),
            nombre,
            parte_de: Some(mayor.to_owned()),
        };
        let (account, sums) =
            self.accounts.entry(numero.to_owned()).or_insert_with(|| (listed(), AccountTotals::default()));
        let mayor = account.agrupador.split_once('.').map_or(mayor, |(mayor, _)| mayor).to_owned();
        for sums in [sums, self.ledger.entry(mayor).or_default()] {
            sums.inicial += totals.inicial;
            sums.debe += totals.debe;
            sums.haber += totals.haber;
        }
    }

    /// Each ledger account followed by its accounts.
    fn rows(self) -> Vec<(ListedAccount, AccountTotals)> {
        let mut rows = Vec::with_capacity(self.accounts.len() + self.ledger.len());
        for (mayor, totals) in self.ledger {
            // A company may have given the number to an account.
            if !self.accounts.contains_key(&mayor) {
                let account = ListedAccount {
                    nombre: grouping_name(&mayor).unwrap_or_default().to_owned(),
                    agrupador: mayor.clone(),
                    numero: mayor.clone(),
                    parte_de: None,
                };
                rows.push((account, totals));
            }
            let of_it = |account: &ListedAccount| account.parte_de.as_deref() == Some(&*mayor);
            for (account, totals) in self.accounts.values().filter(|(account, _)| of_it(account)) {
                let own = account.parte_de.as_deref() == Some(&*account.numero);
                let parte_de = account.parte_de.clone().filter(|_| !own);
                rows.push((ListedAccount { parte_de, ..account.clone() }, *totals));
            }
        }
        rows
    }
}

fn reported(chart: &Chart, entry: StoredEntry) -> ReportedEntry {
    let StoredEntry { clave, fecha, concepto, documentos, contraparte, lines, .. } = entry;
    let rfc = contraparte.rfc.unwrap_or_else(|| GENERIC_NATIONAL.to_owned());
    let foreign = documentos.moneda.filter(|moneda| moneda != PESO).zip(documentos.tipo_cambio);
    let comprobante = documentos.uuid.map(|uuid| Voucher {
        uuid,
        rfc,
        total: documentos.total.unwrap_or_default().get(),
        moneda: foreign,
    });
    let line = |line: crate::store::StoredLine| ReportedLine {
        nombre: chart.name(&line.codigo).to_owned(),
        numero: line.cuenta,
        debe: line.cargo.get(),
        haber: line.abono.get(),
    };
    ReportedEntry {
        numero: clave.to_string(),
        fecha: fecha.to_string(),
        concepto,
        lines: lines.into_iter().map(line).collect(),
        comprobante,
    }
}
