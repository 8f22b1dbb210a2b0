//! The document of a leased record: the one that was sent before, or one from the company's present records.

use std::collections::HashMap;

use chrono::TimeDelta;
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::domain::cfdi::{
    Certificate, Cfdi, CfdiFault, CfdiRelacionados, Heading, InvoiceSource, Issuer, Line, PaidInvoice, Payment,
    PaymentSource, Receiver, SigningKey, TipoRelacion, build_invoice, build_payment, seal,
};
use crate::domain::money::Money;
use crate::domain::text::parse_uuid;
use crate::domain::time::Timestamp;
use crate::domain::words::{InvoiceKind, InvoiceStatus};
use crate::error::Error;
use crate::operation::{Cx, Operation, Spec};
use crate::store::{SIGNING_KEY, StampingPayment, StampingRecord};

/// The oldest date of a document that is sent for the first time. The authority accepts 72 hours; one is left for the request and for clock skew.
const OLDEST: TimeDelta = TimeDelta::hours(71);

/// Makes the document of a leased record.
pub(super) struct Prepare {
    pub(super) factura: i64,
    pub(super) token: Uuid,
}

/// What to do with a leased record.
pub(super) enum Prepared {
    /// Stamp this document, a sealed XML that is stored; with whether it was stored before, hence may have been sent.
    Document(String, bool),
    /// No document can be made.
    Fault(CfdiFault),
    /// It is a complement, and this invoice that it pays has to be stamped first.
    Waits(i64),
    /// Its lease has ended, or it was settled.
    Lost,
}

impl Operation for Prepare {
    const SPEC: Spec = Spec::new("Prepare the stamping of a document");
    type Output = Prepared;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Prepared, Error> {
        let Some(record) = cx.tx.leased_record(self.factura, self.token).await? else { return Ok(Prepared::Lost) };
        if let Some(xml) = cx.tx.sealed_document(self.factura).await? {
            return Ok(Prepared::Document(xml, true));
        }
        let built = match record.tipo {
            InvoiceKind::Pago => payment(cx, self.factura, record).await?,
            _ => invoice(cx, record).await?.map_err(Prepared::Fault),
        };
        let mut document = match built {
            Ok(document) => document,
            Err(other) => return Ok(other),
        };
        if let Some(uuid) = cx.tx.replaced_folio(self.factura).await?.as_deref().and_then(parse_uuid) {
            document.cfdi_relacionados.push(CfdiRelacionados::of(TipoRelacion::Sustitucion, uuid));
        }
        // Who stores a document holds the lease: no other's word has come in since, and none comes before the commit.
        if !cx.tx.lock_lease(self.factura, self.token).await? {
            return Ok(Prepared::Lost);
        }
        let xml = sealed(cx, &document).await?;
        cx.tx.keep_sealed(self.factura, &xml, cx.now).await?;
        Ok(Prepared::Document(xml, false))
    }
}

/// The document, sealed with the key of the certificate that it names. The key is open for no longer than this takes.
async fn sealed(cx: &mut Cx<'_>, document: &Cfdi) -> Result<String, Error> {
    let numero = &document.no_certificado;
    let missing = || Error::internal(format!("the key of certificate {numero} is not there"));
    let kept = cx.tx.signing_key(numero).await?.ok_or_else(missing)?;
    let key = SigningKey::from_pkcs8(&cx.open(SIGNING_KEY, numero, &kept)?).map_err(Error::internal)?;
    Ok(seal(document, &key).map_err(Error::internal)?.xml)
}

async fn invoice(cx: &mut Cx<'_>, record: StampingRecord) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let sale = match record.venta {
        Some(venta) => cx.tx.sale_to_stamp(venta).await?.map(|sale| (venta, sale)),
        None => None,
    };
    let Some((venta, sale)) = sale else { return Ok(Err(CfdiFault::Missing("la venta que se factura"))) };
    let mut receptor = receiver(cx, &record).await?;
    receptor.uso_cfdi = sale.uso_cfdi.or(receptor.uso_cfdi);
    Ok(build_invoice(&InvoiceSource {
        emisor: issuer(cx, sale.cp).await?,
        receptor,
        encabezado: heading(record, cx.now),
        moneda: sale.moneda,
        tipo_cambio: sale.tipo_cambio,
        condicion_pago: sale.condicion_pago,
        dias_credito: sale.dias_credito,
        forma_pago_sat: sale.forma_pago_sat,
        metodo_pago_sat: sale.metodo_pago_sat,
        subtotal: sale.subtotal,
        descuento: sale.descuento,
        impuestos: sale.impuestos,
        total: sale.total,
        renglones: cx.tx.lines_to_stamp(&[venta]).await?.into_iter().map(|(_, line)| line).collect(),
    }))
}

async fn payment(cx: &mut Cx<'_>, factura: i64, record: StampingRecord) -> Result<Result<Cfdi, Prepared>, Error> {
    let payments = cx.tx.payments_to_stamp(factura).await?;
    let Some(first) = payments.first() else {
        return Ok(Err(Prepared::Fault(CfdiFault::Missing("el pago del complemento"))));
    };
    let sales: Vec<i64> = payments.iter().filter_map(|payment| payment.venta).collect();
    let mut lines: HashMap<i64, Vec<Line>> = HashMap::new();
    for (venta, line) in cx.tx.lines_to_stamp(&sales).await? {
        lines.entry(venta).or_default().push(line);
    }
    let emisor = issuer(cx, first.cp.clone()).await?;
    let pago = Payment {
        fecha: first.fecha,
        forma_pago_sat: first.forma_pago_sat.clone(),
        moneda: first.moneda.clone(),
        tipo_cambio: first.tipo_cambio,
        monto: Money::new(payments.iter().map(|payment| payment.importe.get()).sum::<Decimal>()),
        referencia: first.referencia.clone(),
    };
    let mut facturas = Vec::with_capacity(payments.len());
    for payment in payments {
        let renglones = payment.venta.and_then(|venta| lines.get(&venta)).cloned().unwrap_or_default();
        match paid_invoice(payment, renglones) {
            Ok(invoice) => facturas.push(invoice),
            Err(unpaid) => return Ok(Err(unpaid)),
        }
    }
    let receptor = receiver(cx, &record).await?;
    let source = PaymentSource { emisor, receptor, encabezado: heading(record, cx.now), pago, facturas };
    Ok(build_payment(&source).map_err(Prepared::Fault))
}

/// The invoice that a payment pays, once it has a fiscal folio.
fn paid_invoice(payment: StampingPayment, renglones: Vec<Line>) -> Result<PaidInvoice, Prepared> {
    let Some(uuid) = payment.uuid.as_deref().and_then(|uuid| Uuid::try_parse(uuid).ok()) else {
        return Err(match payment.factura {
            // A rejected invoice may still be corrected and stamped.
            Some((factura, InvoiceStatus::EnEspera | InvoiceStatus::Error)) => Prepared::Waits(factura),
            _ => Prepared::Fault(CfdiFault::Missing("el folio fiscal de la factura que se paga")),
        });
    };
    Ok(PaidInvoice {
        uuid,
        serie: payment.serie,
        folio: payment.folio,
        total: payment.total,
        parcialidad: payment.parcialidad,
        saldo_anterior: payment.saldo_anterior,
        importe: payment.importe,
        saldo_insoluto: payment.saldo_insoluto,
        renglones,
    })
}

/// The company, issuing where the postal code `cp` is, else at its own.
async fn issuer(cx: &mut Cx<'_>, cp: Option<String>) -> Result<Issuer, Error> {
    let certificado = cx.tx.signing_certificate().await?;
    Ok(Issuer {
        rfc: cx.company.rfc.clone(),
        nombre: cx.company.nombre.clone(),
        regimen: cx.company.regimen,
        cp: cp.or_else(|| cx.company.cp.clone()),
        certificado: certificado.map(|found| Certificate { numero: found.numero, der: found.der }),
    })
}

async fn receiver(cx: &mut Cx<'_>, record: &StampingRecord) -> Result<Receiver, Error> {
    Ok(match record.cliente {
        Some(cliente) => cx.tx.receiver(cliente).await?.unwrap_or_default(),
        None => Receiver::default(),
    })
}

/// The heading; a document older than [`OLDEST`] is dated now.
fn heading(record: StampingRecord, now: Timestamp) -> Heading {
    let fecha = if now.get() - record.fecha.get() > OLDEST { now } else { record.fecha };
    Heading { serie: record.serie, folio: record.folio, fecha }
}
