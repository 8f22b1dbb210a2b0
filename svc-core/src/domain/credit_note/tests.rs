use proptest::prelude::*;

use super::*;
use crate::domain::line::VatRate;
use crate::domain::line_details::LineDetails;

fn money(text: &str) -> Money {
    Money::parse(text).unwrap()
}

fn units(text: &str) -> Quantity {
    Quantity::new(text.parse().unwrap())
}

/// A line of an invoice, whose amounts follow from these.
fn line(cantidad: Quantity, precio: Money, descuento: Money, ieps_tasa: Option<TaxRate>) -> Line {
    let rates = LineRates { ieps_tasa, ..LineRates::of_vat(VatRate::of_key("16")) };
    Line {
        renglon: 1,
        sku: Some("CLAVO".into()),
        descripcion: Some("Clavo".into()),
        cantidad,
        unidad: Some("Caja".into()),
        unidad_sat: Some("XBX".into()),
        codigo_sat: Some("31162000".into()),
        objeto_impuesto: Some("02".into()),
        precio_unitario: precio,
        rates,
        details: LineDetails::default(),
        amounts: Amounts::of_line(cantidad, precio, descuento, &rates).unwrap(),
    }
}

fn nails() -> Line {
    line(units("10"), money("95"), money("50"), None)
}

#[test]
fn goods_take_their_price_discount_and_iva_with_them() {
    let back = credit(&nails(), &Credited::default(), TakenBack::Units(units("4")), CreditReason::Return).unwrap();
    assert_eq!((back.cantidad, back.acreditada, back.precio_unitario), (units("4"), units("4"), money("95")));
    let Amounts { subtotal, descuento, total, .. } = back.amounts;
    assert_eq!(
        [subtotal, descuento, back.amounts.impuestos(), total].map(|amount| amount.to_string()),
        ["380.00", "20.00", "57.60", "417.60"]
    );
    let own = back.of_document(nails(), TipoRelacion::Devolucion);
    assert_eq!((own.sku.as_deref(), own.codigo_sat.as_deref()), (Some("CLAVO"), Some("31162000")));
}

#[test]
fn a_discount_is_one_unit_of_its_amount() {
    for taken in [TakenBack::Amount(money("360")), TakenBack::Units(units("4"))] {
        let off = credit(&nails(), &Credited::default(), taken, CreditReason::Discount).unwrap();
        assert_eq!((off.cantidad, off.precio_unitario), (units("1"), money("360")));
        assert_eq!((off.amounts.descuento, off.amounts.total), (money("0"), money("417.60")));
        let own = off.of_document(nails(), TipoRelacion::NotaDeCredito);
        assert_eq!((own.codigo_sat.as_deref(), own.unidad_sat.as_deref()), (Some(BILLING), Some(ACTIVITY)));
        assert_eq!((own.sku, own.descripcion.as_deref()), (None, Some("Bonificación: Clavo")));
    }
}

#[test]
fn no_more_is_taken_than_there_is() {
    let of = |before: &Credited, taken, reason| credit(&nails(), before, taken, reason).err();
    let none = Credited::default();
    let half = Credited { cantidad: units("5"), base: money("450") };
    let all = Credited { cantidad: units("10"), base: money("900") };
    for (before, taken, reason, expected) in [
        (&none, TakenBack::Units(units("10.000001")), CreditReason::Return, Some(CreditFault::Units)),
        (&none, TakenBack::Amount(money("900.01")), CreditReason::Discount, Some(CreditFault::Amount)),
        (&none, TakenBack::Amount(money("900")), CreditReason::Discount, None),
        (&half, TakenBack::Units(units("5")), CreditReason::Return, None),
        (&half, TakenBack::Units(units("5.1")), CreditReason::Return, Some(CreditFault::Units)),
        (&half, TakenBack::Amount(money("450.01")), CreditReason::Discount, Some(CreditFault::Amount)),
        (&all, TakenBack::Units(units("0.1")), CreditReason::Return, Some(CreditFault::Units)),
        // Of what was discounted to nothing the goods still come back.
        (
            &Credited { cantidad: units("0"), base: money("900") },
            TakenBack::Units(units("2")),
            CreditReason::Return,
            None,
        ),
        (
            &Credited { cantidad: units("0"), base: money("900") },
            TakenBack::Units(units("2")),
            CreditReason::Discount,
            Some(CreditFault::Nothing),
        ),
    ] {
        assert_eq!(of(before, taken, reason), expected, "{before:?} {taken:?} {reason:?}");
    }
}

proptest! {
    /// A line that is taken back bit by bit, as goods or as amounts, comes to itself in the end,
    /// and each bit is one that the authority takes.
    #[test]
    fn parts_add_up_to_the_line(
        cantidad in 1_i64..100_000, precio in 1_i64..10_000_000, off in 0_i64..100, parts in 1_i64..7,
        ieps in prop::sample::select(vec![None, Some(TaxRate::new(Decimal::new(8, 2)))]), reason in prop::bool::ANY,
    ) {
        let reason = if reason { CreditReason::Return } else { CreditReason::Discount };
        let (cantidad, precio) = (Quantity::new(Decimal::new(cantidad, 2)), Money::new(Decimal::new(precio, 4)));
        let subtotal = line::subtotal(cantidad, precio).unwrap();
        prop_assume!(subtotal.get() > Decimal::ONE);
        let descuento = line::share(subtotal, Money::new(off.into()), Money::new(200.into()));
        let whole = line(cantidad, precio, descuento, ieps);
        let (mut before, mut total, mut taxes) = (Credited::default(), Decimal::ZERO, Decimal::ZERO);
        for part in 0..parts {
            let upto = (cantidad.get() * Decimal::from(part + 1) / Decimal::from(parts)).round_dp(2);
            let bit = if part + 1 == parts { cantidad.get() - before.cantidad.get() } else { upto - before.cantidad.get() };
            if bit <= Decimal::ZERO {
                continue;
            }
            let credited = match credit(&whole, &before, TakenBack::Units(Quantity::new(bit)), reason) {
                Err(CreditFault::Nothing) => continue,
                other => other.unwrap(),
            };
            let base = credited.amounts.subtotal.get() - credited.amounts.descuento.get();
            let Amounts { subtotal, ieps: part_ieps, .. } = credited.amounts;
            prop_assert!(line::fits(subtotal, credited.cantidad.get(), credited.precio_unitario.get()), "{:?}", credited);
            prop_assert!(line::fits(credited.amounts.iva, base + part_ieps.get(), Decimal::new(16, 2)), "{:?}", credited);
            before.cantidad = Quantity::new(before.cantidad.get() + bit);
            before.base = Money::new(before.base.get() + base);
            total += credited.amounts.total.get();
            taxes += credited.amounts.impuestos().get();
        }
        let left = whole.amounts.subtotal.get() - whole.amounts.descuento.get();
        prop_assert_eq!((before.base.get(), total), (left, whole.amounts.total.get()));
        prop_assert_eq!(taxes, whole.amounts.impuestos().get());
    }
}
