//! The checks before a sale is invoiced (contract §4, "POST /ventas/{clave}/facturar").
//!
//! Each function is one group of the contract's checks, in the contract's order; the caller runs
//! them in the order of this file.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use rust_decimal::{Decimal, RoundingStrategy};

use super::accounting::{IncomeByRate, SaleIncome};
use super::cfdi::{Receiver, TipoDeComprobante};
use super::money::Money;
use super::quantity::Rate;
use super::rfc::Rfc;
use super::sale::Amounts;
use super::sat;
use super::words::{Fulfilment, InvoiceOrigin, InvoiceStatus, PaymentMethod, PaymentTerm, SaleKind, SaleOrigin};
use crate::error::{Code, Error};

/// The lease of the application on a sale that it invoices; when it expires the sale may be
/// invoiced again.
pub(crate) const APPLICATION_LEASE: TimeDelta = TimeDelta::minutes(10);

/// The series of a branch's invoices: F of the head office, F1, F2… of the others.
pub(crate) fn invoice_series(sucursal: i64) -> String {
    branch_series('F', sucursal)
}

/// The series of a branch for this initial letter.
pub(super) fn branch_series(letter: char, sucursal: i64) -> String {
    if sucursal == 0 { letter.to_string() } else { format!("{letter}{sucursal}") }
}

/// A sale to be invoiced.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "they are separate facts about a sale")]
pub struct LockedSale {
    /// The clave in `ventas`.
    pub clave: i64,
    /// What it is; never [`SaleKind::Remision`].
    pub tipo: SaleKind,
    /// Its number in its series.
    pub folio: Option<i64>,
    /// Where it was made; the API invoices only its own sales.
    pub origen: SaleOrigin,
    /// Whether it was cancelled.
    pub cancelada: bool,
    /// Its invoice, if the registry has it.
    pub factura: Option<SaleInvoice>,
    /// Whether it names an invoice, in the registry or not: imported sales may be invoiced
    /// elsewhere.
    pub facturada: bool,
    /// How far it is fulfilled; of orders only.
    pub surtido: Option<Fulfilment>,
    /// Since when the application is invoicing it.
    pub facturando: Option<DateTime<Utc>>,
    /// The clave of its branch; 0 is the head office.
    pub sucursal: i64,
    /// The clave of the warehouse that its goods leave; `None` for the main one of its branch.
    pub almacen: Option<i64>,
    /// The clave of its customer; an imported sale may have none.
    pub cliente: Option<i64>,
    /// The customer's RFC as it is today; it tells whether the sale is an export.
    pub cliente_rfc: Option<String>,
    /// The currency of its amounts (`c_Moneda`).
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// When it is paid.
    pub condicion_pago: Option<PaymentTerm>,
    /// Days from the invoice until it is due on credit; `None` counts as 0.
    pub dias_credito: Option<i64>,
    /// The payment form (`c_FormaPago`).
    pub forma_pago_sat: Option<String>,
    /// The payment method (`c_MetodoPago`): PUE or PPD.
    pub metodo_pago_sat: Option<String>,
    /// CFDI use (`c_UsoCFDI`); `None` for the customer's own.
    pub uso_cfdi: Option<String>,
    /// What it comes to.
    pub amounts: Amounts,
    /// Its income by the rate of IVA.
    pub ingresos: SaleIncome,
    /// What is still to be paid.
    pub saldo: Money,
    /// Whether advances were named for it.
    pub con_anticipos: bool,
    /// Whether it has a receivable that is not cancelled, paid or not. An order that is not
    /// delivered has one only if it was imported.
    pub con_cuenta: bool,
}

/// The invoice a sale has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleInvoice {
    /// The clave in `facturas`, the stamping registry.
    pub clave: i64,
    /// Whether the API or the application requested it.
    pub origen: InvoiceOrigin,
    /// What became of it.
    pub estatus: InvoiceStatus,
    /// The series, such as `F1`; `None` if the registry has none.
    pub serie: Option<String>,
    /// Number in the series.
    pub folio: Option<String>,
    /// Fiscal folio; `None` before it is stamped.
    pub uuid: Option<String>,
}

impl LockedSale {
    /// Its income by the accounts that it is posted to.
    pub(crate) fn income(&self) -> IncomeByRate {
        self.ingresos.by_rate.sold_to(self.cliente_rfc.as_deref())
    }

    /// The invoice that the API requested earlier.
    pub(crate) fn requested(&self) -> Option<&SaleInvoice> {
        self.factura.as_ref().filter(|invoice| invoice.origen == InvoiceOrigin::Api)
    }

    /// Refuses a sale that the API may not invoice: it must be an order or a quote of the API's own
    /// and of branch `sucursal`, not cancelled, not invoiced, and not delivered even in part.
    pub(crate) fn validate(&self, sucursal: i64) -> Result<(), Code> {
        if self.origen != SaleOrigin::Api {
            return Err(Code::VentaNoApi);
        }
        if self.cancelada {
            return Err(Code::VentaCancelada);
        }
        if self.facturada || self.tipo == SaleKind::Factura {
            return Err(Code::VentaYaFacturada);
        }
        if !matches!(self.tipo, SaleKind::Pedido | SaleKind::Cotizacion) {
            return Err(Code::VentaNoFacturable);
        }
        if self.tipo == SaleKind::Pedido && self.surtido.is_some_and(|surtido| surtido != Fulfilment::Pendiente) {
            return Err(Code::PedidoConSurtido);
        }
        if self.sucursal != sucursal {
            return Err(Code::SucursalNoCoincide);
        }
        Ok(())
    }

    /// Whether it is an order that has been delivered completely.
    pub(crate) fn is_fulfilled(&self) -> bool {
        self.tipo == SaleKind::Pedido && self.surtido == Some(Fulfilment::Surtido)
    }

    /// Whether its goods have left and it is owed already: an order that has been delivered
    /// completely, or a ticket.
    pub(crate) fn is_handed_over(&self) -> bool {
        self.tipo == SaleKind::Venta || self.is_fulfilled()
    }

    /// Refuses a sale that the back office may not invoice: it must be an order or a quote, not
    /// cancelled and not invoiced, or a ticket, which may be in a global invoice.
    pub(crate) fn validate_in_office(&self) -> Result<(), Code> {
        match self.tipo {
            _ if self.cancelada => Err(Code::VentaCancelada),
            SaleKind::Venta if self.factura.is_some() => Ok(()),
            _ if self.facturada => Err(Code::VentaYaFacturada),
            SaleKind::Factura => Err(Code::VentaYaFacturada),
            SaleKind::Pedido | SaleKind::Cotizacion | SaleKind::Venta => Ok(()),
            _ => Err(Code::VentaNoFacturable),
        }
    }

    /// Whether the application is invoicing it at this moment.
    pub(crate) fn is_being_invoiced(&self, now: DateTime<Utc>) -> bool {
        self.facturando.is_some_and(|since| now < since + APPLICATION_LEASE)
    }

    /// The sale's terms completed by the request, which may supply missing terms and repeat
    /// existing ones.
    pub(crate) fn terms(&self, supplied: SuppliedTerms) -> Result<ProposedTerms, Error> {
        let one = |field: &str, captured: Option<&str>, supplied: Option<String>| match (captured, supplied) {
            (Some(captured), Some(supplied)) if captured != supplied => {
                Err(Error::field(Code::DatoYaCapturado, field, format_args!("la venta ya tiene {captured}")))
            }
            (captured, supplied) => Ok(captured.map(str::to_owned).or(supplied)),
        };
        let method = supplied.metodo_pago_sat.map(|method| method.word().to_owned());
        Ok(ProposedTerms {
            forma_pago_sat: one("forma_pago_sat", self.forma_pago_sat.as_deref(), supplied.forma_pago_sat)?,
            metodo_pago_sat: one("metodo_pago_sat", self.metodo_pago_sat.as_deref(), method)?,
            uso_cfdi: one("uso_cfdi", self.uso_cfdi.as_deref(), supplied.uso_cfdi)?,
        })
    }
}

/// The terms that a request supplies.
#[derive(Debug, Clone, Default)]
pub(crate) struct SuppliedTerms {
    /// The payment form (`c_FormaPago`).
    pub forma_pago_sat: Option<String>,
    /// The payment method (`c_MetodoPago`): PUE or PPD.
    pub metodo_pago_sat: Option<PaymentMethod>,
    /// CFDI use (`c_UsoCFDI`).
    pub uso_cfdi: Option<String>,
}

/// The terms an invoice would have; they may be incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedTerms {
    /// The payment form (`c_FormaPago`).
    pub forma_pago_sat: Option<String>,
    /// The payment method (`c_MetodoPago`): PUE or PPD.
    pub metodo_pago_sat: Option<String>,
    /// CFDI use (`c_UsoCFDI`); `None` for the customer's own.
    pub uso_cfdi: Option<String>,
}

/// The complete terms of an invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InvoiceTerms {
    /// When it is paid.
    pub condicion_pago: PaymentTerm,
    /// The payment form (`c_FormaPago`).
    pub forma_pago_sat: String,
    /// The payment method (`c_MetodoPago`): PUE or PPD.
    pub metodo_pago_sat: PaymentMethod,
}

/// Refuses a customer that cannot receive a document of this kind. Returns the CFDI use: the given
/// one, otherwise the customer's.
pub(crate) fn validate_receiver(
    kind: TipoDeComprobante,
    receiver: &Receiver,
    uso_cfdi: Option<&str>,
) -> Result<String, Code> {
    let rfc = receiver.rfc.as_deref().and_then(|rfc| Rfc::parse(rfc).ok()).ok_or(Code::ClienteSinRfc)?;
    let fits = |regimen: &i64| sat::validate(Some(&rfc), Some(*regimen), None).is_ok();
    let generic = rfc.is_generic();
    let own = receiver.regimen.or(generic.then_some(sat::GENERIC_REGIME));
    let regimen = own.filter(fits).ok_or(Code::ClienteSinRegimen)?;
    // A generic RFC has no address of its own: the document takes the place of issue.
    if !generic && receiver.cp.as_deref().and_then(sat::postal_code).is_none() {
        return Err(Code::ClienteSinCp);
    }
    let uso_cfdi = uso_cfdi.or(receiver.uso_cfdi.as_deref()).or(generic.then_some(sat::GENERIC_USE));
    let uso_cfdi = uso_cfdi.ok_or(Code::ClienteSinUsoCfdi)?;
    let fits = sat::validate(Some(&rfc), Some(regimen), Some(uso_cfdi)).is_ok();
    if fits && kind.allows_use(uso_cfdi, generic) { Ok(uso_cfdi.to_owned()) } else { Err(Code::UsoCfdiIncompatible) }
}

/// Refuses terms that lack the condition, method or form of payment, or combine them wrongly: PPD
/// needs form 99, PUE excludes it.
pub(crate) fn validate_payment(
    condicion_pago: Option<PaymentTerm>,
    terms: &ProposedTerms,
) -> Result<InvoiceTerms, Code> {
    let condicion_pago = condicion_pago.ok_or(Code::VentaSinCondicionPago)?;
    let method = terms.metodo_pago_sat.as_deref().and_then(PaymentMethod::of).ok_or(Code::VentaSinMetodoPago)?;
    let form = terms.forma_pago_sat.as_deref().ok_or(Code::VentaSinFormaPago)?;
    if !sat::payment_form_exists(form) {
        return Err(Code::FormaPagoInvalida);
    }
    if (method == PaymentMethod::Ppd) != (form == sat::FORM_TO_BE_DEFINED) {
        return Err(Code::FormaPagoIncompatible);
    }
    Ok(InvoiceTerms { condicion_pago, forma_pago_sat: form.to_owned(), metodo_pago_sat: method })
}

/// Refuses a sale on credit that exceeds the customer's limit, or of a customer with overdue
/// receivables (`vencido`). Amounts are in pesos.
pub(crate) fn validate_credit(limite: Decimal, adeudo: Decimal, total: Decimal, vencido: bool) -> Result<(), Code> {
    if adeudo.checked_add(total).is_none_or(|owed| owed > limite) {
        return Err(Code::CreditoInsuficiente);
    }
    if vencido {
        return Err(Code::SaldoVencido);
    }
    Ok(())
}

/// Refuses a cash sale whose advance is less than the company's minimum percentage of its total.
pub(crate) fn validate_advance(minimum_percent: Decimal, advance: Decimal, total: Decimal) -> Result<(), Code> {
    if advance * Decimal::ONE_HUNDRED < total * minimum_percent {
        return Err(Code::AnticipoInsuficiente);
    }
    Ok(())
}

/// The part of a sale's minimum advance that the customer's advances must cover, in whole cents;
/// `None` if the amount `paid` covers it.
pub(crate) fn counted_advance(minimum_percent: Decimal, paid: Decimal, total: Decimal) -> Option<Money> {
    let least = (total * minimum_percent / Decimal::ONE_HUNDRED)
        .round_dp_with_strategy(2, RoundingStrategy::ToPositiveInfinity);
    (least > paid).then(|| Money::new(least - paid))
}

/// The due day of an invoice of `fecha`: the same day, or after the days of credit.
pub(crate) fn due_date(fecha: NaiveDate, term: PaymentTerm, days: Option<i64>) -> NaiveDate {
    let days = match term {
        PaymentTerm::Contado => 0,
        PaymentTerm::Credito => days.unwrap_or(0),
    };
    TimeDelta::try_days(days).and_then(|span| fecha.checked_add_signed(span)).unwrap_or(fecha)
}

#[cfg(test)]
mod tests;
