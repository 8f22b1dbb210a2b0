//! Builds the tax document of an invoice or payment from current records: validated when it is requested, and kept
//! until it is sealed ([`crate::stamping`]).

use std::collections::{BTreeMap, HashMap};

use rust_decimal::Decimal;
use uuid::Uuid;

use crate::domain::cfdi::{
    Cfdi, CfdiFault, GlobalSource, Heading, InformacionGlobal, InvoiceSource, Issuer, Line, PaidInvoice, Payment,
    Receipt, ReceiptSource, Receiver, SettledInvoice, SoldSale, Ticket, TipoDeComprobante, build_global, build_invoice,
    build_receipts, build_related,
};
use crate::domain::credit_note::{CreditLine, TAKEN_OFF};
use crate::domain::invoice::{TO_BE_DEFINED, Terms, validate_receiver};
use crate::domain::money::Money;
use crate::domain::payment::CASH;
use crate::domain::sale::Amounts;
use crate::domain::sat;
use crate::domain::words::{InvoiceKind, InvoiceOrigin, InvoiceStatus, PaymentMethod};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{
    CreditNote, GlobalPeriod, GlobalSale, GlobalSales, NewInvoice, Numbered, StampingPayment, StampingRecord,
};

/// The refusal of what no document can be made of; its text names line and reason.
pub(crate) fn unfit(fault: &CfdiFault) -> Error {
    Error::new(Code::DocumentoInvalido).message(fault.to_string())
}

/// Opens a record of the registry under the next folio of its series, and queues it to be stamped; gives its clave and its heading.
pub(crate) async fn open(
    cx: &mut Cx<'_>,
    tipo: InvoiceKind,
    serie: String,
    venta: Option<i64>,
    cliente: Option<i64>,
    origen: InvoiceOrigin,
) -> Result<(i64, Heading), Error> {
    let row = NewInvoice { tipo, venta, cliente, serie: &serie, fecha: cx.now, origen };
    let Numbered { clave: factura, folio } = cx.tx.open_invoice(&row).await?;
    Ok((factura, Heading { serie: Some(serie), folio: Some(folio.to_string()), fecha: cx.now }))
}

/// Keeps the document of a record that is queued, or refuses what none can be made of.
pub(crate) async fn keep_fit(cx: &mut Cx<'_>, factura: i64, document: Result<Cfdi, CfdiFault>) -> Result<(), Error> {
    keep(cx, factura, &document.map_err(|fault| unfit(&fault))?).await
}

/// Stores the validated document of a queued record.
pub(crate) async fn keep(cx: &mut Cx<'_>, factura: i64, document: &Cfdi) -> Result<(), Error> {
    let xml = document.unsealed().map_err(Error::internal)?;
    Ok(cx.tx.keep_judged(factura, Some(&xml)).await?)
}

/// The document of a sale, on these terms if they are not the sale's yet; without date, certificate and seal.
pub(crate) async fn of_sale(
    cx: &mut Cx<'_>,
    venta: i64,
    receptor: Receiver,
    terms: Option<&Terms>,
    encabezado: Heading,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let Some((cp, mut sale)) = cx.tx.sale_to_stamp(venta).await? else {
        return Ok(Err(CfdiFault::Missing("la venta que se factura")));
    };
    if let Some(terms) = terms.cloned() {
        sale.forma_pago_sat = terms.forma_pago_sat;
        sale.metodo_pago_sat = terms.metodo_pago_sat;
        sale.uso_cfdi = terms.uso_cfdi;
    }
    let source = InvoiceSource {
        emisor: issuer(cx, cp),
        receptor,
        encabezado,
        venta: sale,
        renglones: cx.tx.lines_to_stamp(&[venta]).await?.into_iter().map(|(_, line)| line).collect(),
    };
    Ok(build_invoice(&source))
}

/// The document of a queued record that is no complement: a sale's, on these terms if they are not the sale's yet, or a credit note's, or
/// a period's.
pub(crate) async fn of_record(
    cx: &mut Cx<'_>,
    factura: i64,
    record: StampingRecord,
    terms: Option<&Terms>,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let (venta, cliente) = (record.venta, record.cliente);
    match (record.tipo, venta) {
        (InvoiceKind::NotaCredito, _) => match cx.tx.credit_note(factura).await? {
            Some(note) => of_note(cx, &note, cliente, heading(record)).await,
            None => Ok(Err(CfdiFault::Missing("lo que la nota de crédito acredita"))),
        },
        (_, Some(venta)) => {
            let receptor = receiver(cx, cliente).await?;
            of_sale(cx, venta, receptor, terms, heading(record)).await
        }
        (_, None) => match cx.tx.global(factura).await? {
            Some((period, ventas)) => of_period(cx, &period, &ventas, heading(record)).await,
            None => Ok(Err(CfdiFault::Missing("la venta que se factura"))),
        },
    }
}

/// The document of a period's sales to the general public; without date, certificate and seal.
pub(crate) async fn of_period(
    cx: &mut Cx<'_>,
    period: &GlobalPeriod,
    ventas: &[i64],
    encabezado: Heading,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let which = GlobalSales { ventas: Some(ventas), max: i64::MAX, ..GlobalSales::default() };
    let sales = cx.tx.lock_global_sales(&which).await?;
    let Some(first) = sales.first() else { return Ok(Err(CfdiFault::Missing("al menos un ticket"))) };
    let (moneda, tipo_cambio) = (first.moneda.clone(), first.tipo_cambio);
    let forma_pago_sat = Some(greatest_form(&sales).to_owned());
    let mut lines: HashMap<i64, Vec<Line>> = HashMap::new();
    for (venta, line) in cx.tx.lines_to_stamp(ventas).await? {
        lines.entry(venta).or_default().push(line);
    }
    let ticket =
        |sale: GlobalSale| Ticket { folio: sale.folio, renglones: lines.remove(&sale.venta).unwrap_or_default() };
    let tickets = sales.into_iter().map(ticket).collect();
    let GlobalPeriod { periodicidad, meses, anio } = period.clone();
    let periodo = InformacionGlobal { periodicidad, meses, anio };
    let emisor = issuer(cx, None);
    Ok(build_global(&GlobalSource { emisor, encabezado, periodo, moneda, tipo_cambio, forma_pago_sat, tickets }))
}

/// How the greatest part of these sales was paid (`c_FormaPago`); in cash where no sale says.
fn greatest_form(sales: &[GlobalSale]) -> &str {
    let mut sums: BTreeMap<&str, Decimal> = BTreeMap::new();
    for sale in sales {
        let form = sale.forma_pago_sat.as_deref().filter(|form| *form != TO_BE_DEFINED).unwrap_or(CASH);
        *sums.entry(form).or_default() += sale.total.get();
    }
    // Of two that are the same, the one that comes first in the catalogue.
    sums.into_iter().rev().max_by_key(|(_, sum)| *sum).map_or(CASH, |(form, _)| form)
}

/// The document of a credit note; without date, certificate and seal, and without what it relates to.
pub(crate) async fn of_note(
    cx: &mut Cx<'_>,
    note: &CreditNote,
    cliente: Option<i64>,
    encabezado: Heading,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let Some((cp, sale)) = cx.tx.sale_to_stamp(note.venta).await? else {
        return Ok(Err(CfdiFault::Missing("la venta de la nota de crédito")));
    };
    let lines = cx.tx.lines_to_stamp(&[note.anticipo.unwrap_or(note.venta)]).await?;
    let of_line = |credit: &CreditLine| {
        let line = lines.iter().map(|(_, line)| line).find(|line| line.renglon == credit.renglon)?;
        Some(credit.of_document(line.clone(), note.relacion))
    };
    let receptor = receiver(cx, cliente).await?;
    let uso = validate_receiver(receptor.rfc.as_deref(), receptor.regimen, receptor.cp.as_deref(), Some(TAKEN_OFF));
    let Amounts { subtotal, descuento, total, .. } = note.amounts;
    let source = InvoiceSource {
        emisor: issuer(cx, cp),
        receptor,
        encabezado,
        venta: SoldSale {
            condicion_pago: None,
            dias_credito: None,
            forma_pago_sat: Some(note.forma_pago_sat.clone()),
            metodo_pago_sat: Some(PaymentMethod::Pue.word().to_owned()),
            // Where the receiver's regime does not admit it, what takes no deduction.
            uso_cfdi: Some(if uso.is_ok() { TAKEN_OFF } else { sat::GENERIC_USE }.to_owned()),
            subtotal,
            descuento,
            impuestos: note.amounts.impuestos(),
            total,
            ..sale
        },
        renglones: note.lines.iter().filter_map(of_line).collect(),
    };
    Ok(build_related(&source, TipoDeComprobante::E, Vec::new()))
}

/// Fiscal folios of the invoices that a complement's payments pay.
pub(crate) enum Folios {
    /// All of them, in the order of the payments.
    Known(Vec<Uuid>),
    /// This invoice waits for its own.
    Waits(i64),
    /// One will never have any.
    Missing,
}

/// The document of these payments of a complement; without date, certificate and seal, and with a nil fiscal folio for an invoice
/// that has none yet.
pub(crate) async fn of_payments(
    cx: &mut Cx<'_>,
    cliente: Option<i64>,
    encabezado: Heading,
    payments: Vec<StampingPayment>,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let Some(cp) = payments.first().map(|first| first.cp.clone()) else {
        return Ok(Err(CfdiFault::Missing("el pago del complemento")));
    };
    Ok(build_receipts(&ReceiptSource {
        emisor: issuer(cx, cp),
        receptor: receiver(cx, cliente).await?,
        encabezado,
        pagos: receipts(cx, &payments).await?,
    }))
}

/// Judges a complement again that is queued, and keeps its document.
pub(crate) async fn keep_again(cx: &mut Cx<'_>, factura: i64) -> Result<(), Error> {
    let Some(record) = cx.tx.stamping_record(factura).await? else { return Ok(()) };
    keep_of_payments(cx, factura, record.cliente, heading(record)).await
}

/// Judges a complement that is queued, and keeps its document. Money that came in is written down whatever its document lacks:
/// then none is kept, and the worker reports the fault.
pub(crate) async fn keep_of_payments(
    cx: &mut Cx<'_>,
    factura: i64,
    cliente: Option<i64>,
    encabezado: Heading,
) -> Result<(), Error> {
    let payments = cx.tx.payments_to_stamp(factura).await?;
    match of_payments(cx, cliente, encabezado, payments).await? {
        Ok(document) => keep(cx, factura, &document).await,
        Err(_) => Ok(cx.tx.keep_judged(factura, None).await?),
    }
}

/// The fiscal folios of the invoices that these payments pay.
pub(crate) fn folios(payments: &[StampingPayment]) -> Folios {
    let mut known = Vec::with_capacity(payments.len());
    for payment in payments {
        match (payment.uuid.as_deref().and_then(|uuid| Uuid::try_parse(uuid).ok()), payment.factura) {
            (Some(uuid), _) => known.push(uuid),
            // A rejected invoice may still be corrected and stamped.
            (None, Some((factura, InvoiceStatus::EnEspera | InvoiceStatus::Error))) => return Folios::Waits(factura),
            (None, _) => return Folios::Missing,
        }
    }
    Folios::Known(known)
}

/// The heading of a record's document.
pub(crate) fn heading(record: StampingRecord) -> Heading {
    Heading { serie: record.serie, folio: record.folio, fecha: record.fecha }
}

/// What came in, with what it pays: one payment, but for parts at other exchange rates, which are payments of their own.
async fn receipts(cx: &mut Cx<'_>, payments: &[StampingPayment]) -> Result<Vec<Receipt>, Error> {
    let mut invoices = paid_invoices(cx, payments).await?.into_iter();
    let together = payments.chunk_by(|a, b| (&a.moneda, a.tipo_cambio) == (&b.moneda, b.tipo_cambio));
    Ok(together.filter_map(|parts| Some(receipt(parts.first()?, parts, &mut invoices))).collect())
}

fn receipt(
    first: &StampingPayment,
    parts: &[StampingPayment],
    invoices: &mut impl Iterator<Item = PaidInvoice>,
) -> Receipt {
    let settled =
        |factura: PaidInvoice| SettledInvoice { moneda: first.moneda.clone(), monto: factura.importe, factura };
    Receipt { pago: money_in(first, parts), facturas: invoices.take(parts.len()).map(settled).collect() }
}

fn money_in(first: &StampingPayment, payments: &[StampingPayment]) -> Payment {
    Payment {
        fecha: first.fecha,
        forma_pago_sat: first.forma_pago_sat.clone(),
        moneda: first.moneda.clone(),
        tipo_cambio: first.tipo_cambio,
        monto: Money::new(payments.iter().map(|payment| payment.importe.get()).sum::<Decimal>()),
        referencia: first.referencia.clone(),
    }
}

/// The invoices that payments pay, with the lines of their sales.
async fn paid_invoices(cx: &mut Cx<'_>, payments: &[StampingPayment]) -> Result<Vec<PaidInvoice>, Error> {
    let sales: Vec<i64> = payments.iter().filter_map(|payment| payment.venta).collect();
    let mut lines: HashMap<i64, Vec<Line>> = HashMap::new();
    for (venta, line) in cx.tx.lines_to_stamp(&sales).await? {
        lines.entry(venta).or_default().push(line);
    }
    let paid = |payment: &StampingPayment| PaidInvoice {
        uuid: payment.uuid.as_deref().and_then(|uuid| Uuid::try_parse(uuid).ok()).unwrap_or_default(),
        serie: payment.serie.clone(),
        folio: payment.folio.clone(),
        total: payment.total,
        parcialidad: payment.parcialidad,
        saldo_anterior: payment.saldo_anterior,
        importe: payment.importe,
        saldo_insoluto: payment.saldo_insoluto,
        renglones: payment.venta.and_then(|venta| lines.get(&venta)).cloned().unwrap_or_default(),
    };
    Ok(payments.iter().map(paid).collect())
}

/// The company, issuing where the postal code `cp` is, else at its own.
fn issuer(cx: &Cx<'_>, cp: Option<String>) -> Issuer {
    Issuer {
        rfc: cx.company.rfc.clone(),
        nombre: cx.company.nombre.clone(),
        regimen: cx.company.regimen,
        cp: cp.or_else(|| cx.company.cp.clone()),
        certificado: None,
    }
}

/// The customer as they are now; nobody's data where there is none.
pub(crate) async fn receiver(cx: &mut Cx<'_>, cliente: Option<i64>) -> Result<Receiver, Error> {
    Ok(match cliente {
        Some(cliente) => cx.tx.buyer(cliente).await?.unwrap_or_default().receptor,
        None => Receiver::default(),
    })
}
