//! The documents of electronic accounting, version 1.3 (RMF, Anexo 24): the table of accounts, the
//! trial balance and the entries of a month.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use rust_decimal::Decimal;

use super::Nature;
use crate::domain::words::words;

words! {
    /// A document of electronic accounting.
    pub enum LedgerDocument {
        /// The table of accounts.
        Catalogo = "catalogo",
        /// The trial balance of a month: balances, debits and credits by account.
        Balanza = "balanza",
        /// The entries of a month, which the authority asks for case by case ([`RequestKind`]).
        Polizas = "polizas",
    }
}

words! {
    /// Whether a trial balance is the first that is sent of its month, or corrects one.
    pub enum Submission {
        /// The first of its month.
        Normal = "N",
        /// A correction of an earlier one.
        Complementaria = "C",
    }
}

words! {
    /// Why the authority asked for the entries of a month.
    pub enum RequestKind {
        /// An audit of the company itself.
        ActoDeFiscalizacion = "AF",
        /// The audit of another taxpayer.
        FiscalizacionCompulsa = "FC",
        /// A refund that the company asked for.
        Devolucion = "DE",
        /// A compensation that the company declared.
        Compensacion = "CO",
    }
}

/// The RFC, and the month of the books; 13 is the closing of the year.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BooksHeading<'a> {
    pub(crate) rfc: &'a str,
    pub(crate) year: i32,
    pub(crate) month: u32,
}

/// An account of the table.
#[derive(Debug, Clone)]
pub(crate) struct ListedAccount {
    pub(crate) agrupador: String,
    pub(crate) numero: String,
    pub(crate) nombre: String,
    /// The number of the account that it is part of.
    pub(crate) parte_de: Option<String>,
}

/// An account of the trial balance: debits less credits before the month, debits, and credits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AccountTotals {
    pub(crate) inicial: Decimal,
    pub(crate) debe: Decimal,
    pub(crate) haber: Decimal,
}

/// The authority's request that entries answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntriesRequest<'a> {
    pub(crate) tipo: RequestKind,
    pub(crate) orden: Option<&'a str>,
    pub(crate) tramite: Option<&'a str>,
}

/// An entry as the authority wants it.
#[derive(Debug, Clone)]
pub(crate) struct ReportedEntry {
    pub(crate) numero: String,
    pub(crate) fecha: String,
    pub(crate) concepto: String,
    pub(crate) lines: Vec<ReportedLine>,
    pub(crate) comprobante: Option<Voucher>,
}

/// A line of a [`ReportedEntry`].
#[derive(Debug, Clone)]
pub(crate) struct ReportedLine {
    pub(crate) numero: String,
    pub(crate) nombre: String,
    pub(crate) debe: Decimal,
    pub(crate) haber: Decimal,
}

/// The tax document of an entry (`CompNal`).
#[derive(Debug, Clone)]
pub(crate) struct Voucher {
    pub(crate) uuid: String,
    pub(crate) rfc: String,
    pub(crate) total: Decimal,
    /// The currency and pesos for one unit, unless it is pesos.
    pub(crate) moneda: Option<(String, Decimal)>,
}

/// The longest texts of the schemas.
const MAX_NAME: usize = 100;
const MAX_LINE_CONCEPT: usize = 200;
const MAX_CONCEPT: usize = 300;

/// Currencies of `c_Moneda` that the schemas' older catalogue has no key for.
const WITHOUT_KEY: [&str; 5] = ["CNH", "ESD", "NIC", "UYP", "VES"];

/// The table of accounts.
pub(crate) fn catalogue(heading: BooksHeading<'_>, accounts: &[ListedAccount]) -> io::Result<String> {
    let mut document = Document::begin("catalogocuentas", "CatalogoCuentas", "Catalogo", heading, &[])?;
    for account in accounts {
        let level = if account.parte_de.is_some() { "2" } else { "1" };
        let natur = match Nature::of(&account.agrupador) {
            Nature::Deudora => "D",
            Nature::Acreedora => "A",
        };
        let name = text(&account.nombre, MAX_NAME);
        let mut attributes =
            vec![("CodAgrup", account.agrupador.as_str()), ("NumCta", account.numero.as_str()), ("Desc", &name)];
        attributes.extend(account.parte_de.as_deref().map(|number| ("SubCtaDe", number)));
        attributes.extend([("Nivel", level), ("Natur", natur)]);
        document.node("Ctas", &attributes, |_| Ok(()))?;
    }
    document.end()
}

/// The trial balance: each account's balances are positive on the side of its nature.
pub(crate) fn trial_balance(
    heading: BooksHeading<'_>,
    envio: Submission,
    modified: Option<&str>,
    accounts: &[(ListedAccount, AccountTotals)],
) -> io::Result<String> {
    let mut attributes = vec![("TipoEnvio", envio.word())];
    attributes.extend(modified.map(|day| ("FechaModBal", day)));
    let mut document = Document::begin("BCE", "BalanzaComprobacion", "Balanza", heading, &attributes)?;
    for (account, totals) in accounts {
        let sided = |balance: Decimal| match Nature::of(&account.agrupador) {
            Nature::Deudora => amount(balance),
            Nature::Acreedora => amount(-balance),
        };
        let (before, after) = (sided(totals.inicial), sided(totals.inicial + totals.debe - totals.haber));
        let (debe, haber) = (amount(totals.debe), amount(totals.haber));
        let attributes = [
            ("NumCta", account.numero.as_str()),
            ("SaldoIni", &before),
            ("Debe", &debe),
            ("Haber", &haber),
            ("SaldoFin", &after),
        ];
        document.node("Ctas", &attributes, |_| Ok(()))?;
    }
    document.end()
}

/// The entries of a month; there is at least one.
pub(crate) fn entries(
    heading: BooksHeading<'_>,
    request: EntriesRequest<'_>,
    entries: &[ReportedEntry],
) -> io::Result<String> {
    let mut attributes = vec![("TipoSolicitud", request.tipo.word())];
    attributes.extend(request.orden.map(|number| ("NumOrden", number)));
    attributes.extend(request.tramite.map(|number| ("NumTramite", number)));
    let mut document = Document::begin("PLZ", "PolizasPeriodo", "Polizas", heading, &attributes)?;
    for entry in entries {
        let concept = text(&entry.concepto, MAX_CONCEPT);
        let attributes = [("NumUnIdenPol", entry.numero.as_str()), ("Fecha", &entry.fecha), ("Concepto", &concept)];
        document.node("Poliza", &attributes, |document| {
            entry.lines.iter().try_for_each(|line| transaction(document, entry, line))
        })?;
    }
    document.end()
}

fn transaction(document: &mut Document, entry: &ReportedEntry, line: &ReportedLine) -> io::Result<()> {
    let (name, concept) = (text(&line.nombre, MAX_NAME), text(&entry.concepto, MAX_LINE_CONCEPT));
    let (debe, haber) = (amount(line.debe), amount(line.haber));
    let attributes = [
        ("NumCta", line.numero.as_str()),
        ("DesCta", &name),
        ("Concepto", &concept),
        ("Debe", &debe),
        ("Haber", &haber),
    ];
    document.node("Transaccion", &attributes, |document| {
        let Some(voucher) = &entry.comprobante else { return Ok(()) };
        let uuid = voucher.uuid.to_ascii_uppercase();
        let total = amount(voucher.total);
        let foreign = voucher.moneda.as_ref().filter(|(currency, _)| !WITHOUT_KEY.contains(&currency.as_str()));
        let rate = foreign.map(|(_, rate)| rate.round_dp(5).normalize().to_string());
        let mut attributes = vec![("UUID_CFDI", uuid.as_str()), ("RFC", voucher.rfc.as_str()), ("MontoTotal", &total)];
        if let (Some((currency, _)), Some(rate)) = (foreign, &rate) {
            attributes.extend([("Moneda", currency.as_str()), ("TipCamb", rate)]);
        }
        document.node("CompNal", &attributes, |_| Ok(()))
    })
}

fn amount(amount: Decimal) -> String {
    let cents = amount.round_dp(2);
    // A negated zero would be written with a sign.
    format!("{:.2}", if cents.is_zero() { Decimal::ZERO } else { cents })
}

/// Whether XML has no place for a character, or would read another one.
pub(crate) fn is_unwritable(char: char) -> bool {
    char.is_control() || matches!(char, '\u{fffe}' | '\u{ffff}')
}

/// A text of at most `max` characters, without those that XML has no place for.
fn text(text: &str, max: usize) -> String {
    let shown = text.chars().map(|char| if is_unwritable(char) { ' ' } else { char });
    let shown: String = shown.take(max).collect();
    let shown = shown.trim();
    if shown.is_empty() { "-".to_owned() } else { shown.to_owned() }
}

/// A document being written.
struct Document {
    writer: Writer<Vec<u8>>,
    prefix: &'static str,
    root: String,
}

impl Document {
    fn begin(
        prefix: &'static str,
        schema: &str,
        root: &str,
        heading: BooksHeading<'_>,
        attributes: &[(&str, &str)],
    ) -> io::Result<Self> {
        let mut writer = Writer::new(Vec::new());
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let root = format!("{prefix}:{root}");
        let namespace = format!("http://www.sat.gob.mx/esquemas/ContabilidadE/1_3/{schema}");
        let location = format!("{namespace} {namespace}/{schema}_1_3.xsd");
        let (month, year) = (format!("{:02}", heading.month), heading.year.to_string());
        let mut start = BytesStart::new(&root);
        for (name, value) in [
            (format!("xmlns:{prefix}").as_str(), namespace.as_str()),
            ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
            ("xsi:schemaLocation", &location),
            ("Version", "1.3"),
            ("RFC", heading.rfc),
            ("Mes", &month),
            ("Anio", &year),
        ] {
            start.push_attribute((name, value));
        }
        for attribute in attributes {
            start.push_attribute(*attribute);
        }
        writer.write_event(Event::Start(start))?;
        Ok(Self { writer, prefix, root })
    }

    fn node(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        children: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        let name = format!("{}:{name}", self.prefix);
        let mut start = BytesStart::new(&name);
        for attribute in attributes {
            start.push_attribute(*attribute);
        }
        self.writer.write_event(Event::Start(start))?;
        children(self)?;
        self.writer.write_event(Event::End(BytesEnd::new(&name)))
    }

    fn end(mut self) -> io::Result<String> {
        self.writer.write_event(Event::End(BytesEnd::new(&self.root)))?;
        String::from_utf8(self.writer.into_inner()).map_err(io::Error::other)
    }
}
