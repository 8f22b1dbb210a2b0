use proptest::prelude::*;

use super::*;
use crate::domain::payable::PayableTaxes;
use crate::domain::quantity::Balance;

fn money(text: &str) -> Money {
    Money::parse(text).unwrap()
}

fn rate(text: &str) -> Rate {
    Rate::new(text.parse().unwrap())
}

fn day() -> NaiveDate {
    "2026-10-12".parse().unwrap()
}

/// Prints an entry's lines: account, `+` for a debit or `-` for a credit, amount.
fn shown(entry: &LedgerEntry) -> Vec<String> {
    let sign = |side| if side == Side::Cargo { '+' } else { '-' };
    entry.lines().iter().map(|line| format!("{} {}{}", line.cuenta.word(), sign(line.lado), line.importe)).collect()
}

fn of(subtotal: &str, descuento: &str, iva: &str) -> Amounts {
    Amounts { subtotal: money(subtotal), descuento: money(descuento), iva: money(iva), ..Amounts::default() }
}

fn sale() -> SaleAmounts {
    let amounts = of("1000", "0", "160");
    SaleAmounts {
        ingreso: Account::Ventas,
        amounts,
        por_tasa: IncomeByRate::default(),
        tipo_cambio: Rate::ONE,
        costo: money("0"),
        entregado: money("0"),
    }
}

fn payment(importe: &str, pagado: &str) -> PaymentAmounts {
    PaymentAmounts {
        cambio: false,
        recibido: vec![EntryLine::cargo(Account::Bancos, money(importe))],
        importe: money(importe),
        pagado: money(pagado),
        liquida: false,
        acreditado: CreditedPart::default(),
        contabilizado: Collected::default(),
        total: money("1160"),
        iva: money("160"),
        ieps: money("0"),
        tipo_cambio: Rate::ONE,
        tipo_cambio_pago: Rate::ONE,
    }
}

#[test]
fn only_what_balances_is_an_entry() {
    let (owed, sold) = (EntryLine::cargo(Account::Clientes, money("1")), EntryLine::abono(Account::Ventas, money("1")));
    assert_eq!(LedgerEntry::new("x", day(), [owed]), Err(EntryError::Unbalanced));
    assert_eq!(LedgerEntry::new("x", day(), [owed, owed]), Err(EntryError::Unbalanced));
    let zero = EntryLine::cargo(Account::Bancos, Money::default());
    let entry = LedgerEntry::new("x", day(), [owed, zero, sold]).unwrap().unwrap();
    assert_eq!(shown(&entry), ["105.01 +1.00", "401.01 -1.00"]);
    assert_eq!(LedgerEntry::new("x", day(), [zero, zero]), Ok(None));
    assert_eq!(LedgerEntry::new("x", day(), []), Ok(None));
    let endless = Money::new("1000000000000000000".parse().unwrap());
    let lines = [EntryLine::cargo(Account::Bancos, endless), EntryLine::abono(Account::Clientes, endless)];
    assert_eq!(LedgerEntry::new("x", day(), lines), Err(EntryError::TooLarge));
}

#[test]
fn a_sale_is_owed_and_its_goods_are_a_cost() {
    let entry = sale_entry("Factura F-1", day(), &sale()).unwrap().unwrap();
    assert_eq!(shown(&entry), ["105.01 +1160.00", "401.01 -1000.00", "209.01 -160.00"]);
    let discounted = SaleAmounts { amounts: of("1000", "100", "144"), costo: money("555.555"), ..sale() };
    assert_eq!(
        shown(&sale_entry("x", day(), &discounted).unwrap().unwrap()),
        ["105.01 +1044.00", "402.01 +100.00", "401.01 -1000.00", "209.01 -144.00", "501.01 +555.56", "115.01 -555.56"]
    );
    let free = SaleAmounts { amounts: Amounts::default(), ..sale() };
    assert_eq!(sale_entry("x", day(), &free), Ok(None));
}

#[test]
fn what_is_withheld_is_the_companys_with_the_authority() {
    let amounts = Amounts {
        ieps: money("80"),
        retenciones: money("206.67"),
        isr_retenido: money("100"),
        ..of("1000", "0", "172.80")
    };
    let entry = sale_entry("Factura F-1", day(), &SaleAmounts { amounts, ..sale() }).unwrap().unwrap();
    assert_eq!(
        shown(&entry),
        ["105.01 +1046.13", "401.01 -1000.00", "113.02 +100.00", "113.01 +106.67", "209.01 -172.80", "209.02 -80.00"]
    );
    let half =
        PaymentAmounts { iva: money("172.80"), ieps: money("80"), total: money("1046.13"), ..payment("523.07", "0") };
    assert_eq!(
        shown(&payment_entry("x", day(), &half).unwrap().unwrap()),
        ["102.01 +523.07", "105.01 -523.07", "209.01 +86.40", "208.01 -86.40", "209.02 +40.00", "208.02 -40.00"]
    );
}

#[test]
fn another_currency_is_rounded_half_up_to_pesos_and_the_customer_owes_the_sum() {
    let dollars = SaleAmounts { amounts: of("0.10", "0", "0.02"), tipo_cambio: rate("17.55"), ..sale() };
    // 1.755 and 0.351; their sum would be 2.106.
    let entry = sale_entry("x", day(), &dollars).unwrap().unwrap();
    assert_eq!(shown(&entry), ["105.01 +2.11", "401.01 -1.76", "209.01 -0.35"]);
    let endless = SaleAmounts { amounts: of("999999999999999999", "0", "160"), tipo_cambio: rate("20"), ..sale() };
    assert_eq!(sale_entry("x", day(), &endless), Err(EntryError::TooLarge));
    assert_eq!(Error::from(EntryError::TooLarge).code(), Code::DatoInvalido);
}

#[test]
fn a_payment_collects_its_part_of_the_iva() {
    let entry = payment_entry("Pago", day(), &payment("1160", "0")).unwrap().unwrap();
    assert_eq!(shown(&entry), ["102.01 +1160.00", "105.01 -1160.00", "209.01 +160.00", "208.01 -160.00"]);
    for (source, number) in [(Account::Caja, "101.01"), (Account::Anticipos, "206.01")] {
        let mut advance = payment("580", "0");
        advance.recibido[0].cuenta = source;
        let entry = payment_entry("Pago", day(), &advance).unwrap().unwrap();
        assert_eq!(shown(&entry), [&format!("{number} +580.00"), "105.01 -580.00", "209.01 +80.00", "208.01 -80.00"]);
    }
    let untaxed = PaymentAmounts { iva: money("0"), ..payment("1", "0") };
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
    // The first of three instalments is cancelled and paid again: 53.33 + 53.34 + 53.33, less
    // 53.33, leaves 53.33 to collect.
    let booked = Collected {
        adeudo: Decimal::ZERO,
        importe: "773.33".parse().unwrap(),
        iva: "106.67".parse().unwrap(),
        ieps: Decimal::ZERO,
    };
    let again = PaymentAmounts { contabilizado: booked, ..payment("386.67", "773.33") };
    assert_eq!(shown(&payment_entry("x", day(), &again).unwrap().unwrap())[2], "209.01 +53.33");
    // A cent collected too much is returned.
    let booked = Collected {
        adeudo: Decimal::ZERO,
        importe: "1159.99".parse().unwrap(),
        iva: "160.01".parse().unwrap(),
        ieps: Decimal::ZERO,
    };
    let last = PaymentAmounts { contabilizado: booked, ..payment("0.01", "1159.99") };
    assert_eq!(
        shown(&payment_entry("x", day(), &last).unwrap().unwrap()),
        ["102.01 +0.01", "105.01 -0.01", "209.01 -0.01", "208.01 +0.01"]
    );
    // Payments from before the first entry are not collected again.
    let half = Collected {
        adeudo: Decimal::ZERO,
        importe: "290".parse().unwrap(),
        iva: "40".parse().unwrap(),
        ieps: Decimal::ZERO,
    };
    let rest = PaymentAmounts { contabilizado: half, ..payment("290", "870") };
    assert_eq!(shown(&payment_entry("x", day(), &rest).unwrap().unwrap())[2], "209.01 +40.00");
}

#[test]
fn a_credit_note_collects_its_own_taxes_and_payments_their_part_of_the_rest() {
    // Of 1160 with 160 of IVA, notes have paid `notes` with `iva`.
    let moved = |importe, pagado, booked: &str, notes, iva| {
        let contabilizado =
            Collected { importe: money(pagado).get(), iva: booked.parse().unwrap(), ..Collected::default() };
        let acreditado = CreditedPart { importe: money(notes), iva: money(iva), ieps: money("0") };
        let paid = PaymentAmounts { acreditado, contabilizado, ..payment(importe, pagado) };
        shown(&payment_entry("x", day(), &paid).unwrap().unwrap()).get(2).cloned()
    };
    let collected = |amount: &str| Some(format!("209.01 {amount}"));
    // A note with all of the IVA, or none; half of the rest is paid.
    assert_eq!(moved("580", "0", "0", "580", "160"), collected("+160.00"));
    assert_eq!(moved("290", "580", "160", "580", "160"), None);
    assert_eq!(moved("580", "0", "0", "580", "0"), None);
    assert_eq!(moved("290", "580", "0", "580", "0"), collected("+80.00"));
    // A payment of 290 came first, with 40: a quarter of the whole, but half of the rest.
    assert_eq!(moved("580", "290", "40", "580", "160"), collected("+120.00"));
    assert_eq!(moved("580", "290", "40", "580", "0"), collected("+40.00"));
    assert_eq!(moved("290", "870", "80", "580", "0"), collected("+80.00"));
    // A note that settles the rest, and one about the whole.
    assert_eq!(moved("580", "580", "80", "580", "0"), collected("+80.00"));
    assert_eq!(moved("1160", "0", "0", "1160", "160"), collected("+160.00"));
}

#[test]
fn a_reversal_is_the_same_on_the_other_side() {
    let entry = payment_entry("Pago de F-1", day(), &payment("1160", "0")).unwrap().unwrap();
    let entry = entry.of_sale(Some(1)).of_invoice(Some(2)).of_payment(Some(3)).stored(4);
    let back = entry.reversed("2026-10-13".parse().unwrap());
    assert_eq!(shown(&back), ["102.01 -1160.00", "105.01 +1160.00", "209.01 -160.00", "208.01 +160.00"]);
    assert_eq!((back.concepto(), back.fecha().to_string().as_str()), ("Cancelación: Pago de F-1", "2026-10-13"));
    let about = About { venta: Some(1), factura: Some(2), pago: Some(3), revierte: Some(4), ..About::default() };
    assert_eq!((entry.about().revierte, back.about()), (None, about));
}

fn amount() -> impl Strategy<Value = Money> {
    (0_i64..=i64::MAX, 0_u32..=6).prop_map(|(units, scale)| Money::new(Decimal::new(units, scale)))
}

fn exchange() -> impl Strategy<Value = Rate> {
    (1_i64..=1_000_000_000_000_000_000).prop_map(|units| Rate::new(Decimal::new(units, 6)))
}

fn balance(entry: &LedgerEntry) -> Decimal {
    let signed = |line: &EntryLine| if line.lado == Side::Cargo { line.importe.get() } else { -line.importe.get() };
    entry.lines().iter().map(signed).sum()
}

proptest! {
    #[test]
    fn every_sale_balances_or_is_too_large(
        subtotal in amount(), descuento in amount(), impuestos in amount(), tipo_cambio in exchange(), costo in amount(),
    ) {
        let amounts = Amounts { subtotal, descuento, iva: impuestos, ..Amounts::default() };
        let por_tasa = IncomeByRate::default();
        let sale = SaleAmounts { ingreso: Account::Ventas, amounts, por_tasa, tipo_cambio, costo, entregado: subtotal };
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
        importe in amount(), pagado in amount(), total in amount(), impuestos in amount(),
        tipo_cambio in exchange(), tipo_cambio_pago in exchange(), liquida in any::<bool>(),
    ) {
        let Some(recibido) = line::pesos(importe, tipo_cambio_pago) else { return Ok(()) };
        let payment = PaymentAmounts {
            cambio: false,
            recibido: vec![EntryLine::cargo(Account::Bancos, recibido)],
            importe, pagado, liquida, acreditado: CreditedPart::default(), total, iva: impuestos, tipo_cambio, tipo_cambio_pago,
            contabilizado: Collected::default(), ieps: Money::default(),
        };
        match payment_entry("x", day(), &payment) {
            Ok(Some(entry)) => {
                prop_assert!(balance(&entry).is_zero());
                let iva = line::pesos(impuestos, tipo_cambio).unwrap();
                let taxes = entry.lines().iter().filter(|line| line.cuenta == Account::IvaNoCobrado);
                prop_assert!(taxes.map(|line| line.importe).all(|part| part <= iva));
            }
            Ok(None) => {}
            Err(error) => prop_assert_eq!(error, EntryError::TooLarge),
        }
    }
}

/// A payment of a receivable of 1160 dollars at 20 pesos, at another rate.
fn dollars(importe: &str, pagado: &str, pesos: &str, rate_of_day: &str) -> PaymentAmounts {
    PaymentAmounts {
        cambio: false,
        recibido: vec![EntryLine::cargo(Account::Bancos, money(pesos))],
        tipo_cambio: rate("20"),
        tipo_cambio_pago: rate(rate_of_day),
        ..payment(importe, pagado)
    }
}

#[test]
fn what_the_exchange_rate_makes_of_a_payment_is_gained_or_lost() {
    let gained = dollars("580", "0", "12180", "21");
    assert_eq!(
        shown(&payment_entry("x", day(), &gained).unwrap().unwrap()),
        ["102.01 +12180.00", "105.01 -11600.00", "209.01 +1600.00", "208.01 -1680.00", "702.01 -500.00"]
    );
    let at_nineteen = dollars("580", "0", "11020", "19");
    assert_eq!(
        shown(&payment_entry("x", day(), &at_nineteen).unwrap().unwrap()),
        ["102.01 +11020.00", "105.01 -11600.00", "209.01 +1600.00", "208.01 -1520.00", "701.01 +500.00"]
    );
    // At the receivable's own rate there is no exchange gain; the last payment takes the rounded
    // cents.
    let same = dollars("580", "0", "11600", "20");
    assert_eq!(shown(&payment_entry("x", day(), &same).unwrap().unwrap()).len(), 4);
    let adeudo = "11600.02".parse().unwrap();
    let contabilizado =
        Collected { adeudo, importe: "580".parse().unwrap(), iva: "1600".parse().unwrap(), ieps: Decimal::ZERO };
    let last = PaymentAmounts { liquida: true, contabilizado, ..dollars("580", "580", "11600", "20") };
    assert_eq!(
        shown(&payment_entry("x", day(), &last).unwrap().unwrap()),
        ["102.01 +11600.00", "105.01 -11600.02", "209.01 +1600.00", "208.01 -1600.00", "701.01 +0.02"]
    );
    // An amount that is not posted is not taken out.
    let contabilizado = Collected { adeudo: "5".parse().unwrap(), ..contabilizado };
    let unknown = PaymentAmounts { contabilizado, ..last };
    assert_eq!(shown(&payment_entry("x", day(), &unknown).unwrap().unwrap())[1], "105.01 -11600.00");
}

fn balance_of(text: &str) -> Balance {
    Balance::new(text.parse().unwrap())
}

fn bill(total: &str, iva: &str, pagado: &str) -> Bill {
    let impuestos = PayableTaxes { iva: balance_of(iva), ..PayableTaxes::default() };
    Bill { total: balance_of(total), impuestos, pagado: balance_of(pagado), tipo_cambio: Rate::ONE }
}

#[test]
fn an_expense_is_owed_and_its_iva_credited_as_it_is_paid() {
    for (bill, lines) in [
        (bill("116", "16", "0"), vec!["119.01 +16.00", "201.01 -116.00", "601.84 +100.00"]),
        (
            bill("116", "16", "58"),
            vec!["118.01 +8.00", "119.01 +8.00", "201.01 -58.00", "101.01 -58.00", "601.84 +100.00"],
        ),
        (bill("-116", "-16", "0"), vec!["119.01 -16.00", "201.01 +116.00", "601.84 -100.00"]),
        (bill("50", "0", "50"), vec!["101.01 -50.00", "601.84 +50.00"]),
    ] {
        assert_eq!(shown(&expense_entry("x".into(), day(), &bill).unwrap().unwrap()), lines, "{bill:?}");
    }
}

#[test]
fn goods_and_their_bill_meet_whichever_comes_first() {
    let decimal = |text: &str| text.parse::<Decimal>().unwrap();
    let entry = |purchase: &Purchased| shown(&purchase_entry("x".into(), day(), purchase).unwrap().unwrap());
    let factura = Some(bill("348", "48", "0"));
    let whole = Purchased {
        mercancias: decimal("250"),
        gastos: decimal("50"),
        factura,
        completa: true,
        ..Purchased::default()
    };
    assert_eq!(entry(&whole), ["119.01 +48.00", "201.01 -348.00", "115.01 +250.00", "601.84 +50.00"]);
    // The goods arrive first, in two parts; a cent is lost in their costs.
    let first = Purchased { mercancias: decimal("100"), ..Purchased::default() };
    assert_eq!(entry(&first), ["115.01 +100.00", "205.02 -100.00"]);
    let last = Purchased { mercancias: decimal("199.99"), pendiente: decimal("-100"), gastos: Decimal::ZERO, ..whole };
    assert_eq!(entry(&last), ["119.01 +48.00", "201.01 -348.00", "115.01 +199.99", "501.08 +0.01", "205.02 +100.00"]);
    // The bill arrives first.
    let billed = Purchased { factura, ..Purchased::default() };
    assert_eq!(entry(&billed), ["119.01 +48.00", "201.01 -348.00", "115.05 +300.00"]);
    let part = Purchased { mercancias: decimal("100"), pendiente: decimal("300"), ..Purchased::default() };
    assert_eq!(entry(&part), ["115.01 +100.00", "115.05 -100.00"]);
    let rest =
        Purchased { mercancias: decimal("200"), pendiente: decimal("200"), completa: true, ..Purchased::default() };
    assert_eq!(entry(&rest), ["115.01 +200.00", "115.05 -200.00"]);
    // More goods arrive than were billed, then the bill of imported goods.
    let more = Purchased { mercancias: decimal("400"), pendiente: decimal("300"), ..Purchased::default() };
    assert_eq!(entry(&more), ["115.01 +400.00", "115.05 -300.00", "205.02 -100.00"]);
    let imported = Purchased { factura, completa: true, ..Purchased::default() };
    assert_eq!(entry(&imported), ["119.01 +48.00", "201.01 -348.00", "502.01 +300.00"]);
    // Goods whose bill is in the opening account, some of which waited for a bill.
    let opened =
        Purchased { mercancias: decimal("50"), pendiente: decimal("-30"), abierta: true, ..Purchased::default() };
    assert_eq!(entry(&opened), ["115.01 +50.00", "304.01 -80.00", "205.02 +30.00"]);
}

#[test]
fn a_payment_of_a_payable_credits_its_part_of_the_iva_and_withholds_at_the_rate_of_the_day() {
    let payment = PayablePayment {
        fuente: Account::Bancos,
        apertura: None,
        importe: balance_of("58"),
        saldo: balance_of("116"),
        adeudo: "2320".parse().unwrap(),
        iva: "320".parse().unwrap(),
        por_retener: "400".parse().unwrap(),
        isr_retenido: Decimal::ZERO,
        retencion_isr: balance_of("5"),
        retencion_iva: balance_of("15"),
        tipo_cambio: rate("20"),
        tipo_cambio_pago: rate("21"),
    };
    let entry = |payment: &PayablePayment| shown(&payable_payment_entry("x".into(), day(), payment).unwrap().unwrap());
    assert_eq!(
        entry(&payment),
        [
            "201.01 +1160.00",
            "102.01 -1218.00",
            "119.01 -160.00",
            "118.01 +168.00",
            "216.12 +200.00",
            "216.04 -52.50",
            "216.10 -157.50",
            "701.01 +60.00"
        ]
    );
    let pesos = PayablePayment {
        iva: "16".parse().unwrap(),
        por_retener: Decimal::ZERO,
        adeudo: "116".parse().unwrap(),
        tipo_cambio: Rate::ONE,
        tipo_cambio_pago: Rate::ONE,
        ..payment
    };
    assert_eq!(entry(&pesos), ["201.01 +58.00", "102.01 -58.00", "119.01 -8.00", "118.01 +8.00"]);

    // What the supplier owes.
    let swapped = |lines: Vec<String>| -> Vec<String> {
        let swap = |line: String| line.replace('+', "=").replace('-', "+").replace('=', "-");
        lines.into_iter().map(swap).collect()
    };
    assert_eq!(entry(&pesos.negated()), swapped(entry(&pesos)));
    let [others @ .., gain] = &entry(&payment.negated())[..] else { panic!("no lines") };
    let [paid @ .., _] = &entry(&payment)[..] else { panic!("no lines") };
    assert_eq!(others, swapped(paid.to_vec()));
    assert_eq!(gain, "702.01 -60.00");
}

#[test]
fn an_advance_is_booked_net_of_its_discount() {
    let entry = |subtotal, descuento, iva| {
        let amounts = of(subtotal, descuento, iva);
        let advance = SaleAmounts { ingreso: Account::Anticipos, amounts, ..sale() };
        sale_entry("x", day(), &advance).unwrap().map(|entry| shown(&entry))
    };
    assert_eq!(entry("1000", "100", "144").unwrap(), ["105.01 +1044.00", "206.01 -900.00", "209.01 -144.00"]);
    assert_eq!(entry("1000", "1000", "0"), None);
}

#[test]
fn handed_goods_are_a_cost_when_they_are_owed() {
    let handed = SaleAmounts { costo: money("100"), entregado: money("40"), ..sale() };
    let lines = shown(&sale_entry("x", day(), &handed).unwrap().unwrap());
    assert_eq!(lines[3..], ["501.01 +100.00", "115.06 -40.00", "115.01 -60.00"]);
}
