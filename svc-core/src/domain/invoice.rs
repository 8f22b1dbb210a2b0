//! Invoicing a sale: what must hold before anything changes (contract §4, "POST /ventas/{clave}/facturar").
//!
//! Each function is one group of the contract's pre-checks, and judges them in the contract's order; whoever invoices
//! calls them in the order in which they stand here.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use rust_decimal::Decimal;

use super::money::Money;
use super::quantity::Rate;
use super::rfc::Rfc;
use super::sale::Amounts;
use super::sat;
use super::words::{Fulfilment, InvoiceOrigin, InvoiceStatus, PaymentMethod, PaymentTerm, SaleKind, SaleOrigin};
use crate::error::{Code, Error};

/// The payment form of what is paid later, in parts: "por definir".
const TO_BE_DEFINED: &str = "99";

/// How long the application may take to invoice a sale. If it never says that it ended, the sale is free again.
pub const APPLICATION_LEASE: TimeDelta = TimeDelta::minutes(10);

/// The series of a branch's invoices: F of the head office, F1, F2… of the others.
pub fn invoice_series(sucursal: i64) -> String {
    branch_series('F', sucursal)
}

/// A branch's series that begins with this letter.
pub(super) fn branch_series(letter: char, sucursal: i64) -> String {
    if sucursal == 0 { letter.to_string() } else { format!("{letter}{sucursal}") }
}

/// A sale as far as invoicing it asks.
#[derive(Debug, Clone)]
pub struct InvoiceableSale {
    /// Its clave.
    pub clave: i64,
    /// What it is.
    pub tipo: SaleKind,
    /// Who made it.
    pub origen: SaleOrigin,
    /// Whether it was cancelled.
    pub cancelada: bool,
    /// Its invoice, if the registry has it.
    pub factura: Option<SaleInvoice>,
    /// Whether it names an invoice, in the registry or not: imported sales may be invoiced elsewhere.
    pub facturada: bool,
    /// How far it is fulfilled; of orders only.
    pub surtido: Option<Fulfilment>,
    /// Since when the application is invoicing it.
    pub facturando: Option<DateTime<Utc>>,
    /// Its branch.
    pub sucursal: i64,
    /// Its warehouse.
    pub almacen: Option<i64>,
    /// Its customer.
    pub cliente: Option<i64>,
    /// Currency.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// When it is paid.
    pub condicion_pago: Option<PaymentTerm>,
    /// Days of credit.
    pub dias_credito: Option<i64>,
    /// The SAT's payment form.
    pub forma_pago_sat: Option<String>,
    /// PUE or PPD.
    pub metodo_pago_sat: Option<String>,
    /// CFDI use.
    pub uso_cfdi: Option<String>,
    /// What it comes to.
    pub amounts: Amounts,
    /// What is still to be paid.
    pub saldo: Money,
}

/// The invoice a sale has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleInvoice {
    /// Its clave.
    pub clave: i64,
    /// Who asked for it.
    pub origen: InvoiceOrigin,
    /// What became of it.
    pub estatus: InvoiceStatus,
    /// Series.
    pub serie: Option<String>,
    /// Number in the series.
    pub folio: Option<String>,
    /// Fiscal folio.
    pub uuid: Option<String>,
}

impl InvoiceableSale {
    /// The invoice that the API asked for earlier.
    pub fn requested(&self) -> Option<&SaleInvoice> {
        self.factura.as_ref().filter(|invoice| invoice.origen == InvoiceOrigin::Api)
    }

    /// Whether the API may invoice it: it made it, it is valid, not invoiced, an order or a quote, nothing of it is handed
    /// over, and it is of the branch that is meant.
    pub fn judge(&self, sucursal: i64) -> Result<(), Code> {
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

    /// Whether the application is invoicing it at this moment.
    pub fn is_being_invoiced(&self, now: DateTime<Utc>) -> bool {
        self.facturando.is_some_and(|since| now < since + APPLICATION_LEASE)
    }

    /// The sale's terms with what the request adds to them: it may fill what is missing and say again what is there.
    pub fn terms(&self, supplied: SuppliedTerms) -> Result<Terms, Error> {
        let one = |field: &str, captured: Option<&str>, supplied: Option<String>| match (captured, supplied) {
            (Some(captured), Some(supplied)) if captured != supplied => {
                Err(Error::field(Code::DatoYaCapturado, field, format_args!("la venta ya tiene {captured}")))
            }
            (captured, supplied) => Ok(captured.map(str::to_owned).or(supplied)),
        };
        let method = supplied.metodo_pago_sat.map(|method| method.word().to_owned());
        Ok(Terms {
            forma_pago_sat: one("forma_pago_sat", self.forma_pago_sat.as_deref(), supplied.forma_pago_sat)?,
            metodo_pago_sat: one("metodo_pago_sat", self.metodo_pago_sat.as_deref(), method)?,
            uso_cfdi: one("uso_cfdi", self.uso_cfdi.as_deref(), supplied.uso_cfdi)?,
        })
    }
}

/// What a request may add to a sale's terms.
#[derive(Debug, Clone, Default)]
pub struct SuppliedTerms {
    /// The SAT's payment form.
    pub forma_pago_sat: Option<String>,
    /// PUE or PPD.
    pub metodo_pago_sat: Option<PaymentMethod>,
    /// CFDI use.
    pub uso_cfdi: Option<String>,
}

/// The terms an invoice would have; some may be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// The SAT's payment form.
    pub forma_pago_sat: Option<String>,
    /// PUE or PPD.
    pub metodo_pago_sat: Option<String>,
    /// CFDI use.
    pub uso_cfdi: Option<String>,
}

/// The terms of an invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceTerms {
    /// When it is paid.
    pub condicion_pago: PaymentTerm,
    /// The SAT's payment form.
    pub forma_pago_sat: String,
    /// PUE or PPD.
    pub metodo_pago_sat: PaymentMethod,
}

/// Whether the customer can receive an invoice; gives the CFDI use: the sale's, or else the customer's.
pub fn judge_receiver(
    rfc: Option<&str>,
    regimen: Option<i64>,
    cp: Option<&str>,
    uso_cfdi: Option<&str>,
) -> Result<String, Code> {
    let rfc = rfc.and_then(|rfc| Rfc::parse(rfc).ok()).ok_or(Code::ClienteSinRfc)?;
    let fits = |regimen: &i64| sat::judge(Some(&rfc), Some(*regimen), None).is_ok();
    let regimen = regimen.filter(fits).ok_or(Code::ClienteSinRegimen)?;
    if cp.and_then(sat::postal_code).is_none() {
        return Err(Code::ClienteSinCp);
    }
    let uso_cfdi = uso_cfdi.ok_or(Code::ClienteSinUsoCfdi)?;
    sat::judge(Some(&rfc), Some(regimen), Some(uso_cfdi)).map_err(|_| Code::UsoCfdiIncompatible)?;
    Ok(uso_cfdi.to_owned())
}

/// Whether the sale says how it is paid, in keys that go together: PPD needs 99, PUE refuses it.
pub fn judge_payment(condicion_pago: Option<PaymentTerm>, terms: &Terms) -> Result<InvoiceTerms, Code> {
    let condicion_pago = condicion_pago.ok_or(Code::VentaSinCondicionPago)?;
    let method = terms.metodo_pago_sat.as_deref().and_then(PaymentMethod::of).ok_or(Code::VentaSinMetodoPago)?;
    let form = terms.forma_pago_sat.as_deref().ok_or(Code::VentaSinFormaPago)?;
    if !sat::payment_form_exists(form) {
        return Err(Code::FormaPagoInvalida);
    }
    if (method == PaymentMethod::Ppd) != (form == TO_BE_DEFINED) {
        return Err(Code::FormaPagoIncompatible);
    }
    Ok(InvoiceTerms { condicion_pago, forma_pago_sat: form.to_owned(), metodo_pago_sat: method })
}

/// Whether a sale on credit fits into what the customer may owe. All in pesos.
pub fn judge_credit(limite: Decimal, adeudo: Decimal, total: Decimal, vencido: bool) -> Result<(), Code> {
    if adeudo.checked_add(total).is_none_or(|owed| owed > limite) {
        return Err(Code::CreditoInsuficiente);
    }
    if vencido {
        return Err(Code::SaldoVencido);
    }
    Ok(())
}

/// Whether what was paid in advance of a cash sale reaches the company's least percentage of its total.
pub fn judge_advance(minimum_percent: Decimal, advance: Decimal, total: Decimal) -> Result<(), Code> {
    if advance * Decimal::ONE_HUNDRED < total * minimum_percent {
        return Err(Code::AnticipoInsuficiente);
    }
    Ok(())
}

/// When an invoice of `fecha` is due: at once, or after the days of credit.
pub fn due_date(fecha: NaiveDate, term: PaymentTerm, days: Option<i64>) -> NaiveDate {
    let days = match term {
        PaymentTerm::Contado => 0,
        PaymentTerm::Credito => days.unwrap_or(0),
    };
    TimeDelta::try_days(days).and_then(|span| fecha.checked_add_signed(span)).unwrap_or(fecha)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sale() -> InvoiceableSale {
        InvoiceableSale {
            clave: 1,
            tipo: SaleKind::Pedido,
            origen: SaleOrigin::Api,
            cancelada: false,
            factura: None,
            facturada: false,
            surtido: Some(Fulfilment::Pendiente),
            facturando: None,
            sucursal: 0,
            almacen: Some(1),
            cliente: Some(1),
            moneda: "MXN".to_owned(),
            tipo_cambio: Rate::ONE,
            condicion_pago: Some(PaymentTerm::Contado),
            dias_credito: None,
            forma_pago_sat: Some("03".to_owned()),
            metodo_pago_sat: None,
            uso_cfdi: Some("G03".to_owned()),
            amounts: Amounts::default(),
            saldo: Money::default(),
        }
    }

    fn invoice(origen: InvoiceOrigin) -> SaleInvoice {
        SaleInvoice { clave: 7, origen, estatus: InvoiceStatus::Error, serie: None, folio: None, uuid: None }
    }

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn series_are_the_branch_s() {
        for (sucursal, serie) in [(0, "F"), (1, "F1"), (12, "F12")] {
            assert_eq!(invoice_series(sucursal), serie);
        }
    }

    #[test]
    fn a_sale_is_judged_in_the_contract_s_order() {
        let all = InvoiceableSale {
            tipo: SaleKind::Factura,
            origen: SaleOrigin::Aplicacion,
            cancelada: true,
            facturada: true,
            surtido: Some(Fulfilment::Parcial),
            sucursal: 3,
            ..sale()
        };
        let mut judged = all.clone();
        assert_eq!(judged.judge(0), Err(Code::VentaNoApi));
        judged.origen = SaleOrigin::Api;
        assert_eq!(judged.judge(0), Err(Code::VentaCancelada));
        judged.cancelada = false;
        assert_eq!(judged.judge(0), Err(Code::VentaYaFacturada));
        judged.facturada = false;
        assert_eq!(judged.judge(0), Err(Code::VentaYaFacturada), "an invoice that names none");
        judged.tipo = SaleKind::Anticipo;
        assert_eq!(judged.judge(0), Err(Code::VentaNoFacturable));
        judged.tipo = SaleKind::Pedido;
        assert_eq!(judged.judge(0), Err(Code::PedidoConSurtido));
        judged.surtido = None;
        assert_eq!(judged.judge(0), Err(Code::SucursalNoCoincide));
        assert_eq!(judged.judge(3), Ok(()));
        for (tipo, surtido, expected) in [
            (SaleKind::Pedido, Some(Fulfilment::Pendiente), Ok(())),
            (SaleKind::Pedido, Some(Fulfilment::Surtido), Err(Code::PedidoConSurtido)),
            (SaleKind::Cotizacion, None, Ok(())),
            (SaleKind::Venta, None, Err(Code::VentaNoFacturable)),
            (SaleKind::Remision, None, Err(Code::VentaNoFacturable)),
        ] {
            assert_eq!(InvoiceableSale { tipo, surtido, ..sale() }.judge(0), expected, "{tipo:?} {surtido:?}");
        }
    }

    #[test]
    fn only_what_the_api_asked_for_is_told_again() {
        assert_eq!(sale().requested(), None);
        for (origen, told) in [(InvoiceOrigin::Api, true), (InvoiceOrigin::Aplicacion, false)] {
            let sale = InvoiceableSale { factura: Some(invoice(origen)), facturada: true, ..sale() };
            assert_eq!(sale.requested().is_some(), told, "{origen:?}");
        }
    }

    #[test]
    fn the_application_has_ten_minutes() {
        let since: DateTime<Utc> = "2026-10-12T18:00:00Z".parse().unwrap();
        let held = InvoiceableSale { facturando: Some(since), ..sale() };
        for (seconds, expected) in [(-1, true), (0, true), (599, true), (600, false), (10_000, false)] {
            assert_eq!(held.is_being_invoiced(since + TimeDelta::seconds(seconds)), expected, "{seconds}");
        }
        assert!(!sale().is_being_invoiced(since));
    }

    #[test]
    fn a_request_fills_and_repeats_and_does_not_contradict() {
        // The sale has form 03 and use G03, and no method.
        for (form, method, uso, expected) in [
            (None, None, None, Ok(("03", None, "G03"))),
            (Some("03"), Some(PaymentMethod::Pue), Some("G03"), Ok(("03", Some("PUE"), "G03"))),
            (None, Some(PaymentMethod::Ppd), None, Ok(("03", Some("PPD"), "G03"))),
            (Some("99"), Some(PaymentMethod::Ppd), Some("G01"), Err("forma_pago_sat: ")),
            (None, None, Some("G01"), Err("uso_cfdi: ")),
        ] {
            let supplied = SuppliedTerms {
                forma_pago_sat: form.map(str::to_owned),
                metodo_pago_sat: method,
                uso_cfdi: uso.map(str::to_owned),
            };
            match (sale().terms(supplied), expected) {
                (Ok(terms), Ok((form, method, uso))) => {
                    assert_eq!(terms.forma_pago_sat.as_deref(), Some(form));
                    assert_eq!(terms.metodo_pago_sat.as_deref(), method);
                    assert_eq!(terms.uso_cfdi.as_deref(), Some(uso));
                }
                (Err(error), Err(field)) => {
                    assert_eq!(error.code(), Code::DatoYaCapturado);
                    assert!(error.mensaje().starts_with(field), "{}", error.mensaje());
                }
                (found, expected) => panic!("{found:?} instead of {expected:?}"),
            }
        }
    }

    #[test]
    fn a_receiver_lacks_nothing() {
        let (moral, fisica, generic) = (Some("EKU9003173C9"), Some("COSC8001137NA"), Some("XAXX010101000"));
        for (rfc, regimen, cp, uso, expected) in [
            (moral, Some(601), Some("06700"), Some("G03"), Ok("G03")),
            (fisica, Some(612), Some("06700"), Some("D01"), Ok("D01")),
            (generic, Some(616), Some("06700"), Some("S01"), Ok("S01")),
            // All faults at once, and one less each time.
            (None, None, None, None, Err(Code::ClienteSinRfc)),
            (Some("EKU"), None, None, None, Err(Code::ClienteSinRfc)),
            (moral, None, None, None, Err(Code::ClienteSinRegimen)),
            (moral, Some(1), None, None, Err(Code::ClienteSinRegimen)),
            (moral, Some(612), None, None, Err(Code::ClienteSinRegimen)),
            (generic, Some(601), None, None, Err(Code::ClienteSinRegimen)),
            (moral, Some(601), None, None, Err(Code::ClienteSinCp)),
            (moral, Some(601), Some("6700"), None, Err(Code::ClienteSinCp)),
            (moral, Some(601), Some("00001"), None, Err(Code::ClienteSinCp)),
            (moral, Some(601), Some("06700"), None, Err(Code::ClienteSinUsoCfdi)),
            (moral, Some(601), Some("06700"), Some("X99"), Err(Code::UsoCfdiIncompatible)),
            (moral, Some(601), Some("06700"), Some("D01"), Err(Code::UsoCfdiIncompatible)),
            (generic, Some(616), Some("06700"), Some("G03"), Err(Code::UsoCfdiIncompatible)),
        ] {
            let judged = judge_receiver(rfc, regimen, cp, uso);
            assert_eq!(judged.as_deref(), expected.as_ref().map(|uso| *uso), "{rfc:?} {regimen:?} {cp:?} {uso:?}");
        }
    }

    #[test]
    fn ppd_needs_99_and_pue_refuses_it() {
        let cash = Some(PaymentTerm::Contado);
        for (term, method, form, expected) in [
            (cash, Some("PUE"), Some("03"), Ok(PaymentMethod::Pue)),
            (Some(PaymentTerm::Credito), Some("PPD"), Some("99"), Ok(PaymentMethod::Ppd)),
            (cash, Some("PPD"), Some("99"), Ok(PaymentMethod::Ppd)),
            (None, None, None, Err(Code::VentaSinCondicionPago)),
            (cash, None, None, Err(Code::VentaSinMetodoPago)),
            (cash, Some("PUD"), None, Err(Code::VentaSinMetodoPago)),
            (cash, Some("PUE"), None, Err(Code::VentaSinFormaPago)),
            (cash, Some("PPD"), Some("98"), Err(Code::FormaPagoInvalida)),
            (cash, Some("PUE"), Some("99"), Err(Code::FormaPagoIncompatible)),
            (cash, Some("PPD"), Some("03"), Err(Code::FormaPagoIncompatible)),
        ] {
            let terms = Terms {
                forma_pago_sat: form.map(str::to_owned),
                metodo_pago_sat: method.map(str::to_owned),
                uso_cfdi: None,
            };
            let judged = judge_payment(term, &terms);
            if let Ok(paid) = &judged {
                assert_eq!((Some(paid.condicion_pago), Some(paid.forma_pago_sat.as_str())), (term, form));
            }
            assert_eq!(judged.map(|paid| paid.metodo_pago_sat), expected, "{term:?} {method:?} {form:?}");
        }
    }

    #[test]
    fn credit_reaches_to_its_limit_and_wants_nothing_overdue() {
        for (limit, owed, total, overdue, expected) in [
            ("0", "0", "0", false, Ok(())),
            ("100", "40", "60", false, Ok(())),
            ("100", "40", "60.01", false, Err(Code::CreditoInsuficiente)),
            ("100", "100.000001", "0", false, Err(Code::CreditoInsuficiente)),
            ("100", "40", "60", true, Err(Code::SaldoVencido)),
            ("0", "40", "60", true, Err(Code::CreditoInsuficiente)),
            ("100", "1", "79228162514264337593543950335", false, Err(Code::CreditoInsuficiente)),
        ] {
            let judged = judge_credit(decimal(limit), decimal(owed), decimal(total), overdue);
            assert_eq!(judged, expected, "{limit} {owed} {total} {overdue}");
        }
    }

    #[test]
    fn an_advance_is_a_part_of_the_total() {
        for (percent, advance, total, enough) in [
            ("50", "116", "232", true),
            ("50", "115.99", "232", false),
            ("33.33", "0.34", "1", true),
            ("33.33", "0.33", "1", false),
            ("100", "232", "232", true),
            ("0", "0", "232", true),
            ("0", "-1", "232", false),
            ("50", "0", "0", true),
        ] {
            let judged = judge_advance(decimal(percent), decimal(advance), decimal(total));
            let expected = if enough { Ok(()) } else { Err(Code::AnticipoInsuficiente) };
            assert_eq!(judged, expected, "{percent} % {advance} of {total}");
        }
    }

    #[test]
    fn cash_is_due_at_once() {
        let day: NaiveDate = "2026-10-12".parse().unwrap();
        for (term, days, expected) in [
            (PaymentTerm::Contado, None, "2026-10-12"),
            (PaymentTerm::Contado, Some(30), "2026-10-12"),
            (PaymentTerm::Credito, None, "2026-10-12"),
            (PaymentTerm::Credito, Some(0), "2026-10-12"),
            (PaymentTerm::Credito, Some(365), "2027-10-12"),
            (PaymentTerm::Credito, Some(i64::MAX), "2026-10-12"),
        ] {
            assert_eq!(due_date(day, term, days).to_string(), expected, "{term:?} {days:?}");
        }
    }
}
