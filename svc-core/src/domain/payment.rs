//! Payments of receivables: checks, sources and the balance afterwards (spec, "Payment application
//! to a receivable"; contract §4, "POST /cxc/{clave}/pagos").

use chrono::{Months, NaiveDate};
use rust_decimal::Decimal;
use serde_json::json;

use super::accounting::CreditedPart;
use super::advance;
use super::invoice::branch_series;
use super::line;
use super::money::{CENTS, Money};
use super::quantity::Rate;
use super::sat;
use super::words::{PaymentMethod, PaymentOrigin, ReceivableStatus, SaleKind, words};
use crate::error::{Code, Error};
use crate::schema::zero;

words! {
    /// How money reached a bank account: the payment forms of the SAT's catalogue that a payment
    /// may have.
    pub enum BankForm {
        /// Cheque nominativo.
        Cheque = "02",
        /// Transferencia electrónica de fondos.
        Transferencia = "03",
        /// Tarjeta de crédito.
        TarjetaCredito = "04",
        /// Tarjeta de débito.
        TarjetaDebito = "28",
    }
}

/// `c_FormaPago`: cash.
pub(crate) const CASH: &str = "01";

/// `c_FormaPago`: a transfer.
pub(crate) const TRANSFER: &str = "03";

/// `c_FormaPago`: compensation, by a balance in the customer's favour.
pub(crate) const PAYING_OFF: &str = "17";

/// The payment form (`c_FormaPago`) of a payment without a bank: 17 for a balance in the customer's
/// favour, 30 for an advance. `None` for a deposit, for which the caller provides the form.
pub(crate) fn default_form(origen: PaymentOrigin) -> Option<&'static str> {
    match origen {
        PaymentOrigin::Deposito => None,
        PaymentOrigin::SaldoAFavor => Some(PAYING_OFF),
        PaymentOrigin::Anticipo => Some(advance::FORM),
    }
}

/// The series of a branch's payment complements: `P` for the head office, `P` and its key for the
/// others.
pub(crate) fn payment_series(sucursal: i64) -> String {
    branch_series('P', sucursal)
}

/// The schema of what [`validate_amount`] takes.
pub(crate) fn amount_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": ["string", "number"], "pattern": CENTS, "exclusiveMinimum": 0, "not": zero(),
        "examples": ["1160.00"]
    })
}

/// The schema of such an amount in a field that may be left out.
pub(crate) fn optional_amount_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let mut schema = amount_schema(generator);
    schema.insert("type".to_owned(), json!(["string", "number", "null"]));
    schema
}

/// Refuses an amount that is zero or not in whole cents.
pub(crate) fn validate_amount(importe: Money) -> Result<Money, Error> {
    let invalid = |text| Err(Error::field(Code::DatoInvalido, "importe", text));
    match importe.get().normalize() {
        amount if amount <= Decimal::ZERO => invalid("debe ser mayor que cero"),
        amount if amount.scale() > 2 => invalid("lleva a lo más dos decimales"),
        amount => Ok(Money::new(amount)),
    }
}

/// Refuses a payment form that `c_FormaPago` does not have, and 99, "to be defined": no money has
/// moved by it.
pub(crate) fn validate_form(form: &str) -> Result<(), Error> {
    if form == sat::FORM_TO_BE_DEFINED {
        return Err(Error::field(Code::DatoInvalido, "forma_pago_sat", "no puede ser 99"));
    }
    if !sat::payment_form_exists(form) {
        return Err(Code::FormaPagoInvalida.into());
    }
    Ok(())
}

/// Refuses a day that is still ahead even in the company's easternmost place.
pub(crate) fn validate_day(fecha: NaiveDate, latest: NaiveDate) -> Result<NaiveDate, Error> {
    if fecha > latest {
        return Err(Error::field(Code::DatoInvalido, "fecha", "no puede estar en el futuro"));
    }
    Ok(fecha)
}

/// How many years back a captured day may lie. Documents are kept for that long, and the authority
/// may review them (CFF, articles 30 and 67).
const MAX_YEARS_BACK: u32 = 5;

/// Refuses the day of a document, or of money that came or went, in the future or more than five
/// years ago.
pub(crate) fn validate_document_day(fecha: NaiveDate, today: NaiveDate) -> Result<NaiveDate, Error> {
    let fecha = validate_day(fecha, today)?;
    let oldest = today.checked_sub_months(Months::new(12 * MAX_YEARS_BACK));
    if oldest.is_some_and(|oldest| fecha < oldest) {
        return Err(Error::field(Code::DatoInvalido, "fecha", "tiene más de cinco años"));
    }
    Ok(fecha)
}

/// The sales document of a receivable.
#[derive(Debug, Clone)]
pub struct PaidSale {
    /// What the document is; the API takes payments of sales and invoices only.
    pub tipo: SaleKind,
    /// Whether it is cancelled.
    pub cancelada: bool,
    /// Whether it has a breakdown of taxes.
    pub desglose: bool,
    /// The payment method (`c_MetodoPago`).
    pub metodo_pago_sat: Option<String>,
    /// What it comes to, taxes included and withholdings excluded.
    pub total: Money,
    /// The sum of its IVA and IEPS.
    pub impuestos: Money,
    /// The IEPS within `impuestos`.
    pub ieps: Money,
}

/// A locked receivable that is about to be paid.
#[derive(Debug, Clone)]
pub struct LockedReceivable {
    /// The clave in `cxc`.
    pub clave: i64,
    /// Its status; a cancelled receivable takes no payments.
    pub estatus: ReceivableStatus,
    /// The customer who owes it.
    pub cliente: Option<i64>,
    /// The clave of its sales document; an imported receivable may have none.
    pub venta: Option<i64>,
    /// The data of that document.
    pub sale: Option<PaidSale>,
    /// The receivable's own payment method, if it has one.
    pub metodo_pago_sat: Option<String>,
    /// The day of its creation; no payment may be earlier.
    pub fecha: NaiveDate,
    /// The currency of its amounts (`c_Moneda`).
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// What was paid so far, in `moneda`; credit notes count.
    pub pagado: Money,
    /// What is still owed, in `moneda`.
    pub saldo: Money,
    /// The number of its valid payments.
    pub parcialidades: i64,
    /// The greatest number of its valid payments; 0 without any.
    pub ultima_parcialidad: i64,
    /// What credit notes and returns have paid of it.
    pub acreditado: CreditedPart,
    /// Whether credit notes or returns have paid any of it, cancelled ones included.
    pub con_notas: bool,
    /// Clave of the branch.
    pub sucursal: i64,
    /// The invoice that it is owed for, in the registry.
    pub factura: Option<i64>,
    /// Whether that invoice's cancellation was requested and has no final answer yet.
    pub en_cancelacion: bool,
}

/// One payment of a receivable, and the balances before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instalment {
    /// What the payment pays, in the receivable's currency.
    pub importe: Money,
    /// The number of the instalment.
    pub parcialidad: i64,
    /// The number of the receivable's valid payments, this one included.
    pub parcialidades: i64,
    /// The amount owed before.
    pub saldo_anterior: Money,
    /// The amount owed afterwards.
    pub saldo_insoluto: Money,
    /// The amount paid afterwards.
    pub pagado: Money,
}

impl Instalment {
    /// The receivable's status after it.
    pub fn estatus(&self) -> ReceivableStatus {
        ReceivableStatus::by_balance(self.saldo_insoluto)
    }
}

impl LockedReceivable {
    /// Refuses a receivable that cannot be paid, in this order: a cancelled one; one of an invoice
    /// whose cancellation was requested; through the API also one without a breakdown of taxes, or
    /// of a document that is neither a sale nor an invoice (the application collects those); one of
    /// an invoice without payment method.
    pub(crate) fn validate(&self, through_the_api: bool) -> Result<(), Error> {
        let sale = self.sale.as_ref();
        if self.estatus == ReceivableStatus::Cancelado || sale.is_some_and(|sale| sale.cancelada) {
            return Err(Code::CxcCancelada.into());
        }
        // A ticket stays owed when the global invoice that contains it is cancelled.
        if self.en_cancelacion && sale.is_none_or(|sale| sale.tipo != SaleKind::Venta) {
            return Err(Code::CancelacionEnCurso.into());
        }
        let taxed = |sale: &PaidSale| sale.desglose && matches!(sale.tipo, SaleKind::Venta | SaleKind::Factura);
        if through_the_api && !sale.is_some_and(taxed) {
            return Err(Error::new(Code::VentaSinDesglose).message(match sale.map(|sale| sale.tipo) {
                None => "la cuenta por cobrar no es de una venta; se cobra en la aplicación",
                Some(SaleKind::Pedido) => {
                    "la venta es un pedido surtido sin factura; factúrelo antes o cóbrelo en la aplicación"
                }
                Some(SaleKind::Anticipo) => "la venta es un anticipo; se cobra en la aplicación",
                Some(_) => Code::VentaSinDesglose.mensaje(),
            }));
        }
        if self.is_invoiced() && self.method().is_none() {
            return Err(Code::MetodoPagoFaltante.into());
        }
        Ok(())
    }

    /// Refuses a payment earlier than the receivable.
    pub(crate) fn validate_day(&self, fecha: NaiveDate) -> Result<(), Error> {
        if fecha < self.fecha { Err(Code::FechaAnteriorFactura.into()) } else { Ok(()) }
    }

    /// The payment of `importe`, which may not exceed the balance.
    pub(crate) fn pay(&self, importe: Money) -> Result<Instalment, Error> {
        if self.saldo.get() <= Decimal::ZERO {
            return Err(Code::CxcSinSaldo.into());
        }
        let saldo_insoluto = line::amount(self.saldo.get() - importe.get()).ok_or(Code::ImporteExcedeSaldo)?;
        let pagado = line::amount(self.pagado.get() + importe.get()).ok_or_else(too_large)?;
        Ok(Instalment {
            importe,
            parcialidad: self.parcialidades.max(self.ultima_parcialidad).saturating_add(1),
            parcialidades: self.parcialidades.saturating_add(1),
            saldo_anterior: self.saldo,
            saldo_insoluto,
            pagado,
        })
    }

    /// The status once a payment of `importe` is cancelled. An imported payment may exceed the
    /// amount counted as paid.
    pub fn status_without(&self, importe: Money) -> ReceivableStatus {
        let owed = self.saldo.get() + self.pagado.get().min(importe.get());
        match self.estatus {
            ReceivableStatus::Pagado => ReceivableStatus::by_balance(Money::new(owed)),
            other => other,
        }
    }

    /// Whether its payments need a payment complement: those of an invoice that is paid later or in
    /// parts (PPD).
    pub(crate) fn needs_complement(&self) -> bool {
        self.is_invoiced() && self.method() == Some(PaymentMethod::Ppd.word())
    }

    /// The sale's IVA, its IEPS, and the total that contains them.
    pub(crate) fn taxes(&self) -> [Money; 3] {
        let sale = self.sale.as_ref().filter(|sale| sale.desglose);
        let iva = |sale: &PaidSale| Money::new((sale.impuestos.get() - sale.ieps.get()).max(Decimal::ZERO));
        sale.map(|sale| [iva(sale), sale.ieps, sale.total]).unwrap_or_default()
    }

    /// Whether it is owed for an invoice.
    pub(crate) fn is_invoiced(&self) -> bool {
        self.sale.as_ref().is_some_and(|sale| sale.tipo == SaleKind::Factura)
    }

    /// The payment method: the receivable's, or else its document's.
    fn method(&self) -> Option<&str> {
        let of_sale = || self.sale.as_ref().and_then(|sale| sale.metodo_pago_sat.as_deref());
        self.metodo_pago_sat.as_deref().or_else(of_sale)
    }
}

/// The error of an amount longer than 18 digits.
pub(crate) fn too_large() -> Error {
    Error::field(Code::DatoInvalido, "importe", "lleva el saldo a demasiados dígitos")
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;
    use crate::domain::company::Company;
    use crate::testing::company;

    fn money(text: &str) -> Money {
        Money::parse(text).unwrap()
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn invoice() -> PaidSale {
        PaidSale {
            tipo: SaleKind::Factura,
            cancelada: false,
            desglose: true,
            metodo_pago_sat: Some("PPD".into()),
            total: money("1160"),
            impuestos: money("160"),
            ieps: Money::default(),
        }
    }

    fn debt() -> LockedReceivable {
        LockedReceivable {
            clave: 1,
            estatus: ReceivableStatus::Pendiente,
            cliente: Some(1),
            venta: Some(1),
            sale: Some(invoice()),
            metodo_pago_sat: None,
            fecha: day("2026-10-01"),
            moneda: "MXN".into(),
            tipo_cambio: Rate::ONE,
            pagado: money("160"),
            saldo: money("1000"),
            parcialidades: 1,
            ultima_parcialidad: 0,
            acreditado: CreditedPart::default(),
            con_notas: false,
            sucursal: 0,
            factura: Some(1),
            en_cancelacion: false,
        }
    }

    fn code<T>(outcome: Result<T, Error>) -> Option<Code> {
        outcome.err().map(|error| error.code())
    }

    #[test]
    fn an_amount_is_positive_and_has_whole_cents() {
        for (text, shown) in [("0.01", "0.01"), ("1.5", "1.50"), ("2.500000", "2.50"), ("7", "7.00")] {
            assert_eq!(validate_amount(money(text)).unwrap().to_string(), shown);
        }
        for text in ["0", "0.00", "0.001", "1.005", "0.000001"] {
            assert_eq!(code(validate_amount(money(text))), Some(Code::DatoInvalido), "{text}");
        }
    }

    #[test]
    fn today_is_that_of_the_companys_places() {
        let late: DateTime<Utc> = "2026-10-13T05:59:59Z".parse().unwrap();
        let latest = |cp: Option<&str>, lugares: &[(i64, &str)]| {
            let lugares = lugares.iter().map(|(clave, cp)| (*clave, (*cp).to_owned())).collect();
            Company { cp: cp.map(str::to_owned), lugares, ..company(1) }.latest_day(late)
        };
        for (cp, lugares, expected) in [
            (None, &[][..], "2026-10-12"),
            (Some("06000"), &[][..], "2026-10-12"),
            (Some("22000"), &[][..], "2026-10-12"),
            (Some("77500"), &[][..], "2026-10-13"),
            (Some("06000"), &[(3, "77500")][..], "2026-10-13"),
            (Some("77500"), &[(3, "22000")][..], "2026-10-13"),
        ] {
            assert_eq!(latest(cp, lugares), day(expected), "{cp:?} {lugares:?}");
        }
        let today = latest(None, &[]);
        assert_eq!(validate_day(day("2026-10-12"), today).unwrap(), day("2026-10-12"));
        assert_eq!(code(validate_day(day("2026-10-13"), today)), Some(Code::DatoInvalido));
        assert_eq!(validate_document_day(day("2021-10-12"), today).unwrap(), day("2021-10-12"));
        assert_eq!(code(validate_document_day(day("2021-10-11"), today)), Some(Code::DatoInvalido));
    }

    #[test]
    fn what_is_not_paid_here_has_its_code_in_order() {
        assert_eq!(code(debt().validate(true)), None);
        let of = |change: fn(&mut PaidSale)| {
            let mut sale = invoice();
            change(&mut sale);
            LockedReceivable { sale: Some(sale), ..debt() }
        };
        for (debt, expected) in [
            (LockedReceivable { estatus: ReceivableStatus::Cancelado, sale: None, ..debt() }, Some(Code::CxcCancelada)),
            (of(|sale| (sale.cancelada, sale.desglose) = (true, false)), Some(Code::CxcCancelada)),
            (LockedReceivable { en_cancelacion: true, ..debt() }, Some(Code::CancelacionEnCurso)),
            (LockedReceivable { sale: None, ..debt() }, Some(Code::VentaSinDesglose)),
            (of(|sale| sale.tipo = SaleKind::Pedido), Some(Code::VentaSinDesglose)),
            (of(|sale| (sale.desglose, sale.metodo_pago_sat) = (false, None)), Some(Code::VentaSinDesglose)),
            (of(|sale| sale.metodo_pago_sat = None), Some(Code::MetodoPagoFaltante)),
            (of(|sale| (sale.tipo, sale.metodo_pago_sat) = (SaleKind::Venta, None)), None),
            (LockedReceivable { estatus: ReceivableStatus::Pagado, ..debt() }, None),
        ] {
            assert_eq!(code(debt.validate(true)), expected, "{debt:?}");
            // Without a breakdown of taxes only the application collects it, unless another check
            // refuses it first.
            let there = match expected {
                Some(Code::VentaSinDesglose) if debt.is_invoiced() => Some(Code::MetodoPagoFaltante),
                Some(Code::VentaSinDesglose) => None,
                other => other,
            };
            assert_eq!(code(debt.validate(false)), there, "{debt:?}");
        }
    }

    #[test]
    fn taxes_are_known_where_there_is_a_breakdown() {
        assert_eq!(debt().taxes(), [money("160"), money("0"), money("1160")]);
        assert_eq!(LockedReceivable { sale: None, ..debt() }.taxes(), [money("0"); 3]);
        let old = PaidSale { desglose: false, ..invoice() };
        assert_eq!(LockedReceivable { sale: Some(old), ..debt() }.taxes(), [money("0"); 3]);
    }

    #[test]
    fn only_invoices_paid_in_parts_want_a_complement() {
        assert!(debt().needs_complement());
        assert!(!LockedReceivable { metodo_pago_sat: Some("PUE".into()), ..debt() }.needs_complement());
        let remision = PaidSale { tipo: SaleKind::Venta, ..invoice() };
        assert!(!LockedReceivable { sale: Some(remision), ..debt() }.needs_complement());
        assert!(!LockedReceivable { sale: None, ..debt() }.needs_complement());
    }

    #[test]
    fn a_payment_lowers_what_is_owed() {
        let paid = debt().pay(money("400")).unwrap();
        assert_eq!(
            (paid.saldo_anterior, paid.saldo_insoluto, paid.pagado),
            (money("1000"), money("600"), money("560"))
        );
        assert_eq!((paid.parcialidad, paid.parcialidades), (2, 2));
        assert_eq!(debt().pay(money("1000")).unwrap().saldo_insoluto, money("0"));
        assert_eq!(code(debt().pay(money("1000.01"))), Some(Code::ImporteExcedeSaldo));
        assert_eq!(code(LockedReceivable { saldo: money("0"), ..debt() }.pay(money("1"))), Some(Code::CxcSinSaldo));
        // The first of three payments was cancelled: the next is still number four.
        let cancelled = LockedReceivable { parcialidades: 2, ultima_parcialidad: 3, ..debt() }.pay(money("1")).unwrap();
        assert_eq!((cancelled.parcialidad, cancelled.parcialidades), (4, 3));
        let endless = LockedReceivable { pagado: money("999999999999999999"), parcialidades: i64::MAX, ..debt() };
        assert_eq!(code(endless.pay(money("1"))), Some(Code::DatoInvalido));
        assert_eq!(endless.pay(money("0.5")).unwrap().parcialidad, i64::MAX);
        assert_eq!(code(debt().validate_day(day("2026-09-30"))), Some(Code::FechaAnteriorFactura));
        assert_eq!(code(debt().validate_day(day("2026-10-01"))), None);
    }

    #[test]
    fn a_series_is_a_branchs() {
        assert_eq!((payment_series(0), payment_series(12)), ("P".to_owned(), "P12".to_owned()));
    }
}
