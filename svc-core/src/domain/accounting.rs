//! Accounting entries: what a business fact does to the books, in pesos, and always balanced.

use std::fmt;

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::line;
use super::money::Money;
use super::quantity::Rate;
use super::words::{PaymentOrigin, words};
use crate::error::{Code, Error};

words! {
    /// An account, by its number in the SAT's "código agrupador de cuentas" (RMF, Anexo 24, apartado A).
    pub enum Account {
        /// Bancos nacionales: what lies in the bank accounts.
        Bancos = "102.01",
        /// Clientes nacionales: what customers owe.
        Clientes = "105.01",
        /// Inventario: goods, at cost.
        Inventario = "115.01",
        /// Anticipo de cliente nacional: what customers paid before anything was owed.
        Anticipos = "206.01",
        /// IVA trasladado cobrado: charged and paid, so due to the authority.
        IvaCobrado = "208.01",
        /// IVA trasladado no cobrado: charged, and not paid yet.
        IvaNoCobrado = "209.01",
        /// Ventas y/o servicios gravados a la tasa general.
        Ventas = "401.01",
        /// Descuentos, devoluciones o bonificaciones sobre ventas a la tasa general.
        Descuentos = "402.01",
        /// Costo de venta.
        CostoDeVenta = "501.01",
    }
}

/// The side of an account that a line is written on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The debit side.
    Cargo,
    /// The credit side.
    Abono,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Cargo => Self::Abono,
            Self::Abono => Self::Cargo,
        }
    }
}

/// One line of an [`Entry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryLine {
    /// The account.
    pub cuenta: Account,
    /// On which side.
    pub lado: Side,
    /// How much, in pesos.
    pub importe: Money,
}

impl EntryLine {
    /// A debit.
    pub fn cargo(cuenta: Account, importe: Money) -> Self {
        Self { cuenta, lado: Side::Cargo, importe }
    }

    /// A credit.
    pub fn abono(cuenta: Account, importe: Money) -> Self {
        Self { cuenta, lado: Side::Abono, importe }
    }
}

/// Why lines make no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryError {
    /// Debits and credits differ.
    Unbalanced,
    /// An amount is negative, or has more than 18 digits in pesos.
    TooLarge,
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unbalanced => "the entry does not balance",
            Self::TooLarge => "the amount has too many digits in pesos",
        })
    }
}

impl std::error::Error for EntryError {}

impl From<EntryError> for Error {
    fn from(error: EntryError) -> Self {
        match error {
            EntryError::Unbalanced => Self::internal(error),
            EntryError::TooLarge => {
                Self::field(Code::DatoInvalido, "importe", "tiene demasiados dígitos en pesos para contabilizarse")
            }
        }
    }
}

/// An accounting entry (póliza): balanced, of at least two lines, none of them zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    concepto: String,
    fecha: NaiveDate,
    lines: Vec<EntryLine>,
    venta: Option<i64>,
    factura: Option<i64>,
    pago: Option<i64>,
}

impl Entry {
    /// The entry of these lines; lines of zero are left out, and nothing but zeros is no entry.
    pub fn new(
        concepto: impl Into<String>,
        fecha: NaiveDate,
        lines: impl IntoIterator<Item = EntryLine>,
    ) -> Result<Option<Self>, EntryError> {
        let lines: Vec<_> = lines.into_iter().filter(|line| line.importe != Money::default()).collect();
        let mut balance = Decimal::ZERO;
        for line in &lines {
            let importe = line::amount(line.importe.get()).ok_or(EntryError::TooLarge)?.get();
            balance += match line.lado {
                Side::Cargo => importe,
                Side::Abono => -importe,
            };
        }
        if !balance.is_zero() {
            return Err(EntryError::Unbalanced);
        }
        let entry = Self { concepto: concepto.into(), fecha, lines, venta: None, factura: None, pago: None };
        Ok((!entry.lines.is_empty()).then_some(entry))
    }

    /// The same, about a sales document.
    #[must_use]
    pub fn of_sale(self, venta: Option<i64>) -> Self {
        Self { venta, ..self }
    }

    /// The same, about a record of the registry of invoices.
    #[must_use]
    pub fn of_invoice(self, factura: Option<i64>) -> Self {
        Self { factura, ..self }
    }

    /// The same, about a payment of a receivable.
    #[must_use]
    pub fn of_payment(self, pago: Option<i64>) -> Self {
        Self { pago, ..self }
    }

    /// The entry of `fecha` that undoes this one: every line on the other side.
    #[must_use]
    pub fn reversed(&self, fecha: NaiveDate) -> Self {
        let lines = self.lines.iter().map(|line| EntryLine { lado: line.lado.other(), ..*line }).collect();
        Self { concepto: format!("Cancelación: {}", self.concepto), fecha, lines, ..self.clone() }
    }

    /// What it is about, in words.
    pub fn concepto(&self) -> &str {
        &self.concepto
    }

    /// Its day, in Mexico.
    pub fn fecha(&self) -> NaiveDate {
        self.fecha
    }

    /// Its lines.
    pub fn lines(&self) -> &[EntryLine] {
        &self.lines
    }

    /// The sales document it is about.
    pub fn venta(&self) -> Option<i64> {
        self.venta
    }

    /// The record of the registry of invoices it is about.
    pub fn factura(&self) -> Option<i64> {
        self.factura
    }

    /// The payment it is about.
    pub fn pago(&self) -> Option<i64> {
        self.pago
    }
}

/// What of a sale goes into the books; in the document's currency but for the cost.
#[derive(Debug, Clone, Copy)]
pub struct SaleAmounts {
    /// What is earned by it: [`Account::Ventas`], or [`Account::Anticipos`] where nothing is sold yet.
    pub ingreso: Account,
    /// Before discount and taxes.
    pub subtotal: Money,
    /// Discount.
    pub descuento: Money,
    /// IVA.
    pub impuestos: Money,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// What the goods that left had cost, in pesos; zero when none left.
    pub costo: Money,
}

/// The entry of a sale: the customer owes it, its IVA is not collected yet, and the goods that left are a cost.
/// What the customer owes is the sum of the rest, so that rounding to pesos cannot unbalance it.
pub fn sale_entry(
    concepto: impl Into<String>,
    fecha: NaiveDate,
    sale: &SaleAmounts,
) -> Result<Option<Entry>, EntryError> {
    let pesos = |amount| line::pesos(amount, sale.tipo_cambio).ok_or(EntryError::TooLarge);
    let (subtotal, descuento, impuestos) = (pesos(sale.subtotal)?, pesos(sale.descuento)?, pesos(sale.impuestos)?);
    let owed = line::amount(subtotal.get() - descuento.get() + impuestos.get()).ok_or(EntryError::TooLarge)?;
    let cost = line::pesos(sale.costo, Rate::ONE).ok_or(EntryError::TooLarge)?;
    Entry::new(
        concepto,
        fecha,
        [
            EntryLine::cargo(Account::Clientes, owed),
            EntryLine::cargo(Account::Descuentos, descuento),
            EntryLine::abono(sale.ingreso, subtotal),
            EntryLine::abono(Account::IvaNoCobrado, impuestos),
            EntryLine::cargo(Account::CostoDeVenta, cost),
            EntryLine::abono(Account::Inventario, cost),
        ],
    )
}

/// What of a payment goes into the books; in the receivable's currency.
#[derive(Debug, Clone, Copy)]
pub struct PaymentAmounts {
    /// What it was made from.
    pub origen: PaymentOrigin,
    /// The amount.
    pub importe: Money,
    /// What had been paid of the receivable before.
    pub pagado: Money,
    /// What of that is in the books, and the IVA in pesos that they say was collected with it.
    pub contabilizado: Collected,
    /// The sale's total.
    pub total: Money,
    /// The sale's IVA.
    pub impuestos: Money,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
}

/// What the books say of a receivable's payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Collected {
    /// What they amount to, in the receivable's currency.
    pub importe: Decimal,
    /// The IVA that was collected with them, in pesos.
    pub iva: Decimal,
}

/// The entry of a payment: the customer owes less, and the sale's IVA is collected in proportion.
pub fn payment_entry(
    concepto: impl Into<String>,
    fecha: NaiveDate,
    payment: &PaymentAmounts,
) -> Result<Option<Entry>, EntryError> {
    let pesos = |amount| line::pesos(amount, payment.tipo_cambio).ok_or(EntryError::TooLarge);
    let (importe, impuestos) = (pesos(payment.importe)?, pesos(payment.impuestos)?);
    let source = match payment.origen {
        PaymentOrigin::Deposito => Account::Bancos,
        PaymentOrigin::SaldoAFavor | PaymentOrigin::Anticipo => Account::Anticipos,
    };
    // What ought to be collected after it, less what is: instalments add up to the whole IVA, whichever of them were
    // cancelled between. What was paid before there were books collected its part elsewhere.
    let collected = |paid: Decimal| line::share(impuestos, Money::new(paid), payment.total).get();
    let (before, booked) = (payment.pagado.get(), payment.contabilizado);
    let elsewhere = collected((before - booked.importe).max(Decimal::ZERO));
    let vat = collected(before + payment.importe.get()) - elsewhere - booked.iva;
    let (from, to) = if vat.is_sign_negative() {
        (Account::IvaCobrado, Account::IvaNoCobrado)
    } else {
        (Account::IvaNoCobrado, Account::IvaCobrado)
    };
    Entry::new(
        concepto,
        fecha,
        [
            EntryLine::cargo(source, importe),
            EntryLine::abono(Account::Clientes, importe),
            EntryLine::cargo(from, Money::new(vat.abs())),
            EntryLine::abono(to, Money::new(vat.abs())),
        ],
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn money(text: &str) -> Money {
        Money::parse(text).unwrap()
    }

    fn rate(text: &str) -> Rate {
        Rate::new(text.parse().unwrap())
    }

    fn day() -> NaiveDate {
        "2026-10-12".parse().unwrap()
    }

    /// An entry's lines in words: account, `+` for a debit or `-` for a credit, amount.
    fn shown(entry: &Entry) -> Vec<String> {
        let sign = |side| if side == Side::Cargo { '+' } else { '-' };
        entry.lines().iter().map(|line| format!("{} {}{}", line.cuenta.word(), sign(line.lado), line.importe)).collect()
    }

    fn sale() -> SaleAmounts {
        SaleAmounts {
            ingreso: Account::Ventas,
            subtotal: money("1000"),
            descuento: money("0"),
            impuestos: money("160"),
            tipo_cambio: Rate::ONE,
            costo: money("0"),
        }
    }

    fn payment(importe: &str, pagado: &str) -> PaymentAmounts {
        PaymentAmounts {
            origen: PaymentOrigin::Deposito,
            importe: money(importe),
            pagado: money(pagado),
            contabilizado: Collected::default(),
            total: money("1160"),
            impuestos: money("160"),
            tipo_cambio: Rate::ONE,
        }
    }

    #[test]
    fn only_what_balances_is_an_entry() {
        let (owed, sold) =
            (EntryLine::cargo(Account::Clientes, money("1")), EntryLine::abono(Account::Ventas, money("1")));
        assert_eq!(Entry::new("x", day(), [owed]), Err(EntryError::Unbalanced));
        assert_eq!(Entry::new("x", day(), [owed, owed]), Err(EntryError::Unbalanced));
        let zero = EntryLine::cargo(Account::Bancos, Money::default());
        let entry = Entry::new("x", day(), [owed, zero, sold]).unwrap().unwrap();
        assert_eq!(shown(&entry), ["105.01 +1.00", "401.01 -1.00"]);
        assert_eq!(Entry::new("x", day(), [zero, zero]), Ok(None));
        assert_eq!(Entry::new("x", day(), []), Ok(None));
        let endless = Money::new("1000000000000000000".parse().unwrap());
        let lines = [EntryLine::cargo(Account::Bancos, endless), EntryLine::abono(Account::Clientes, endless)];
        assert_eq!(Entry::new("x", day(), lines), Err(EntryError::TooLarge));
    }

    #[test]
    fn a_sale_is_owed_and_its_goods_are_a_cost() {
        let entry = sale_entry("Factura F-1", day(), &sale()).unwrap().unwrap();
        assert_eq!(shown(&entry), ["105.01 +1160.00", "401.01 -1000.00", "209.01 -160.00"]);
        let discounted =
            SaleAmounts { descuento: money("100"), impuestos: money("144"), costo: money("555.555"), ..sale() };
        assert_eq!(
            shown(&sale_entry("x", day(), &discounted).unwrap().unwrap()),
            [
                "105.01 +1044.00",
                "402.01 +100.00",
                "401.01 -1000.00",
                "209.01 -144.00",
                "501.01 +555.56",
                "115.01 -555.56"
            ]
        );
        let free = SaleAmounts { subtotal: money("0"), impuestos: money("0"), ..sale() };
        assert_eq!(sale_entry("x", day(), &free), Ok(None));
    }

    #[test]
    fn another_currency_is_rounded_half_up_to_pesos_and_the_customer_owes_the_sum() {
        let dollars =
            SaleAmounts { subtotal: money("0.10"), impuestos: money("0.02"), tipo_cambio: rate("17.55"), ..sale() };
        // 1.755 and 0.351; their sum would be 2.106.
        let entry = sale_entry("x", day(), &dollars).unwrap().unwrap();
        assert_eq!(shown(&entry), ["105.01 +2.11", "401.01 -1.76", "209.01 -0.35"]);
        let endless = SaleAmounts { subtotal: money("999999999999999999"), tipo_cambio: rate("20"), ..sale() };
        assert_eq!(sale_entry("x", day(), &endless), Err(EntryError::TooLarge));
        assert_eq!(Error::from(EntryError::TooLarge).code(), Code::DatoInvalido);
    }

    #[test]
    fn a_payment_collects_its_part_of_the_iva() {
        let entry = payment_entry("Pago", day(), &payment("1160", "0")).unwrap().unwrap();
        assert_eq!(shown(&entry), ["102.01 +1160.00", "105.01 -1160.00", "209.01 +160.00", "208.01 -160.00"]);
        for origen in [PaymentOrigin::SaldoAFavor, PaymentOrigin::Anticipo] {
            let advance = PaymentAmounts { origen, ..payment("580", "0") };
            let entry = payment_entry("Pago", day(), &advance).unwrap().unwrap();
            assert_eq!(shown(&entry), ["206.01 +580.00", "105.01 -580.00", "209.01 +80.00", "208.01 -80.00"]);
        }
        let untaxed = PaymentAmounts { impuestos: money("0"), ..payment("1", "0") };
        assert_eq!(shown(&payment_entry("x", day(), &untaxed).unwrap().unwrap()), ["102.01 +1.00", "105.01 -1.00"]);
    }

    #[test]
    fn instalments_collect_the_whole_iva() {
        let parts: Vec<_> = [("386.67", "0"), ("386.67", "386.67"), ("386.66", "773.34")]
            .iter()
            .map(|(importe, pagado)| {
                shown(&payment_entry("x", day(), &payment(importe, pagado)).unwrap().unwrap())[2].clone()
            })
            .collect();
        assert_eq!(parts, ["209.01 +53.33", "209.01 +53.34", "209.01 +53.33"]);
    }

    #[test]
    fn a_cancelled_instalment_leaves_no_cent_behind() {
        // Of three instalments the first is cancelled and paid again: 53.33 + 53.34 + 53.33, less 53.33, wants 53.33.
        let booked = Collected { importe: "773.33".parse().unwrap(), iva: "106.67".parse().unwrap() };
        let again = PaymentAmounts { contabilizado: booked, ..payment("386.67", "773.33") };
        assert_eq!(shown(&payment_entry("x", day(), &again).unwrap().unwrap())[2], "209.01 +53.33");
        // What was collected a cent too much goes back.
        let booked = Collected { importe: "1159.99".parse().unwrap(), iva: "160.01".parse().unwrap() };
        let last = PaymentAmounts { contabilizado: booked, ..payment("0.01", "1159.99") };
        assert_eq!(
            shown(&payment_entry("x", day(), &last).unwrap().unwrap()),
            ["102.01 +0.01", "105.01 -0.01", "208.01 +0.01", "209.01 -0.01"]
        );
        // What was paid before there were books is not collected again.
        let half = Collected { importe: "290".parse().unwrap(), iva: "40".parse().unwrap() };
        let rest = PaymentAmounts { contabilizado: half, ..payment("290", "870") };
        assert_eq!(shown(&payment_entry("x", day(), &rest).unwrap().unwrap())[2], "209.01 +40.00");
    }

    #[test]
    fn a_reversal_is_the_same_on_the_other_side() {
        let entry = payment_entry("Pago de F-1", day(), &payment("1160", "0")).unwrap().unwrap();
        let entry = entry.of_sale(Some(1)).of_invoice(Some(2)).of_payment(Some(3));
        let back = entry.reversed("2026-10-13".parse().unwrap());
        assert_eq!(shown(&back), ["102.01 -1160.00", "105.01 +1160.00", "209.01 -160.00", "208.01 +160.00"]);
        assert_eq!((back.concepto(), back.fecha().to_string().as_str()), ("Cancelación: Pago de F-1", "2026-10-13"));
        assert_eq!((back.venta(), back.factura(), back.pago()), (Some(1), Some(2), Some(3)));
    }

    fn amount() -> impl Strategy<Value = Money> {
        (0_i64..=i64::MAX, 0_u32..=6).prop_map(|(units, scale)| Money::new(Decimal::new(units, scale)))
    }

    fn exchange() -> impl Strategy<Value = Rate> {
        (1_i64..=1_000_000_000_000_000_000).prop_map(|units| Rate::new(Decimal::new(units, 6)))
    }

    fn balance(entry: &Entry) -> Decimal {
        let signed = |line: &EntryLine| if line.lado == Side::Cargo { line.importe.get() } else { -line.importe.get() };
        entry.lines().iter().map(signed).sum()
    }

    proptest! {
        #[test]
        fn every_sale_balances_or_is_too_large(
            subtotal in amount(), descuento in amount(), impuestos in amount(), tipo_cambio in exchange(), costo in amount(),
        ) {
            let sale = SaleAmounts { ingreso: Account::Ventas, subtotal, descuento, impuestos, tipo_cambio, costo };
            match sale_entry("x", day(), &sale) {
                Ok(Some(entry)) => {
                    prop_assert!(balance(&entry).is_zero());
                    prop_assert!(balance(&entry.reversed(day())).is_zero());
                    prop_assert!(entry.lines().iter().all(|line| line.importe > Money::default()));
                }
                Ok(None) => {}
                Err(error) => prop_assert_eq!(error, EntryError::TooLarge),
            }
        }

        #[test]
        fn every_payment_balances_and_collects_no_more_than_the_iva(
            importe in amount(), pagado in amount(), total in amount(), impuestos in amount(), tipo_cambio in exchange(),
        ) {
            let contabilizado = Collected::default();
            let origen = PaymentOrigin::Deposito;
            let payment = PaymentAmounts { origen, importe, pagado, contabilizado, total, impuestos, tipo_cambio };
            match payment_entry("x", day(), &payment) {
                Ok(Some(entry)) => {
                    prop_assert!(balance(&entry).is_zero());
                    let iva = line::pesos(impuestos, tipo_cambio).unwrap();
                    let taxes = entry.lines().iter().filter(|line| line.cuenta == Account::IvaCobrado);
                    prop_assert!(taxes.map(|line| line.importe).all(|part| part <= iva));
                }
                Ok(None) => {}
                Err(error) => prop_assert_eq!(error, EntryError::TooLarge),
            }
        }
    }
}
