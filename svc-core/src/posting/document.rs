//! Builds tax documents from current records. They are validated when they are requested, and kept
//! until they are sealed ([`crate::stamping`]).

use std::collections::{BTreeMap, HashMap};

use rust_decimal::Decimal;
use uuid::Uuid;

use crate::domain::cfdi::{
    Cfdi, CfdiFault, GlobalSource, Heading, InformacionGlobal, InvoiceSource, Issuer, Line, PaidInvoice,
    PaymentOfInvoices, ReceiptSource, ReceivedPayment, Receiver, SettledInvoice, SoldSale, Ticket, TipoDeComprobante,
    build_global, build_invoice, build_receipts, build_related,
};
use crate::domain::credit_note::{CreditLine, TAKEN_OFF};
use crate::domain::invoice::{ProposedTerms, TO_BE_DEFINED, validate_receiver};
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

/// `documento_invalido`, with the line and the reason.
pub(crate) fn unfit(fault: &CfdiFault) -> Error {
    Error::new(Code::DocumentoInvalido).message(fault.to_string())
}

/// Opens a record of the registry under the next folio of its series and queues it. Returns its
/// clave and heading.
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

/// Stores the document of a queued record, or fails with its fault.
pub(crate) async fn keep_fit(cx: &mut Cx<'_>, factura: i64, document: Result<Cfdi, CfdiFault>) -> Result<(), Error> {
    keep(cx, factura, &document.map_err(|fault| unfit(&fault))?).await
}

/// Stores the validated document of a queued record.
pub(crate) async fn keep(cx: &mut Cx<'_>, factura: i64, document: &Cfdi) -> Result<(), Error> {
    let xml = document.unsealed().map_err(Error::internal)?;
    Ok(cx.tx.keep_validated(factura, Some(&xml)).await?)
}

/// The document of a sale, without date, certificate and seal. `terms` apply if the sale does not have them yet.
pub(crate) async fn of_sale(
    cx: &mut Cx<'_>,
    venta: i64,
    receptor: Receiver,
    terms: Option<&ProposedTerms>,
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

/// The document of a queued record that is not a complement: of a sale, a credit note or a period.
/// `terms` apply if the sale does not have them yet.
pub(crate) async fn of_record(
    cx: &mut Cx<'_>,
    factura: i64,
    record: StampingRecord,
    terms: Option<&ProposedTerms>,
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

/// The document of a period's sales to the general public, without date, certificate and seal.
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

/// The payment form of the largest part of these sales (`c_FormaPago`); cash if no sale has one.
fn greatest_form(sales: &[GlobalSale]) -> &str {
    let mut sums: BTreeMap<&str, Decimal> = BTreeMap::new();
    for sale in sales {
        let form = sale.forma_pago_sat.as_deref().filter(|form| *form != TO_BE_DEFINED).unwrap_or(CASH);
        *sums.entry(form).or_default() += sale.total.get();
    }
    // Of equal sums, the first in the catalogue.
    sums.into_iter().rev().max_by_key(|(_, sum)| *sum).map_or(CASH, |(form, _)| form)
}

/// The document of a credit note, without date, certificate, seal and relations.
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
            // If the receiver's regime does not allow returns, a use without fiscal effects.
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

/// The fiscal folios of the invoices that a complement's payments pay.
pub(crate) enum Folios {
    /// In the order of the payments.
    Known(Vec<Uuid>),
    /// This invoice is not stamped yet.
    Waits(i64),
    /// One of the invoices will never be stamped.
    Missing,
}

/// The document of a complement's payments, without date, certificate and seal. An invoice that is
/// not stamped yet has a nil folio.
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

/// Validates a queued complement again and stores its document.
pub(crate) async fn keep_again(cx: &mut Cx<'_>, factura: i64) -> Result<(), Error> {
    let Some(record) = cx.tx.stamping_record(factura, None).await? else { return Ok(()) };
    keep_of_payments(cx, factura, record.cliente, heading(record)).await
}

/// Validates a queued complement and stores its document. A payment is recorded even if its
/// document is invalid: then no document is stored, and the worker reports the fault.
pub(crate) async fn keep_of_payments(
    cx: &mut Cx<'_>,
    factura: i64,
    cliente: Option<i64>,
    encabezado: Heading,
) -> Result<(), Error> {
    let payments = cx.tx.payments_to_stamp(factura).await?;
    match of_payments(cx, cliente, encabezado, payments).await? {
        Ok(document) => keep(cx, factura, &document).await,
        Err(_) => Ok(cx.tx.keep_validated(factura, None).await?),
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

pub(crate) fn heading(record: StampingRecord) -> Heading {
    Heading { serie: record.serie, folio: record.folio, fecha: record.fecha }
}

/// The payments of the complement. Parts with different exchange rates are payments of their own.
async fn receipts(cx: &mut Cx<'_>, payments: &[StampingPayment]) -> Result<Vec<PaymentOfInvoices>, Error> {
    let mut invoices = paid_invoices(cx, payments).await?.into_iter();
    let together = payments.chunk_by(|a, b| (&a.moneda, a.tipo_cambio) == (&b.moneda, b.tipo_cambio));
    Ok(together.filter_map(|parts| Some(receipt(parts.first()?, parts, &mut invoices))).collect())
}

fn receipt(
    first: &StampingPayment,
    parts: &[StampingPayment],
    invoices: &mut impl Iterator<Item = PaidInvoice>,
) -> PaymentOfInvoices {
    let settled =
        |factura: PaidInvoice| SettledInvoice { moneda: first.moneda.clone(), monto: factura.importe, factura };
    PaymentOfInvoices { pago: money_in(first, parts), facturas: invoices.take(parts.len()).map(settled).collect() }
}

fn money_in(first: &StampingPayment, payments: &[StampingPayment]) -> ReceivedPayment {
    ReceivedPayment {
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

/// The company as issuer, at the postal code `cp` or its own.
fn issuer(cx: &Cx<'_>, cp: Option<String>) -> Issuer {
    Issuer {
        rfc: cx.company.rfc.clone(),
        nombre: cx.company.nombre.clone(),
        regimen: cx.company.regimen,
        cp: cp.or_else(|| cx.company.cp.clone()),
        certificado: None,
    }
}

/// The customer's current data; empty if there is no customer.
pub(crate) async fn receiver(cx: &mut Cx<'_>, cliente: Option<i64>) -> Result<Receiver, Error> {
    Ok(match cliente {
        Some(cliente) => cx.tx.buyer(cliente).await?.unwrap_or_default().receptor,
        None => Receiver::default(),
    })
}
