use proptest::prelude::*;

use super::*;

fn money(text: &str) -> Money {
    Money::parse(text).unwrap()
}

fn quantity(text: &str) -> Quantity {
    Quantity::new(text.parse().unwrap())
}

fn rate(text: &str) -> Option<TaxRate> {
    text.parse().ok().map(TaxRate)
}

#[test]
fn rates_are_those_of_the_catalogue() {
    let of = |field: &str, text: &str| {
        let mut rates = LineRates::default();
        *match field {
            "ieps_tasa" => &mut rates.ieps_tasa,
            "ieps_cuota" => &mut rates.ieps_cuota,
            "retencion_isr" => &mut rates.retencion_isr,
            _ => &mut rates.retencion_iva,
        } = rate(text);
        rates.validate().err().map(|(field, _)| field.to_owned())
    };
    for (field, good, bad) in [
        ("ieps_tasa", &["0", "0.08", "0.265", "1.6", "0.53"][..], &["0.1", "1.61", "8"][..]),
        ("ieps_cuota", &["0", "0.000001", "72.1605"], &["72.160501"]),
        ("retencion_isr", &["0", "0.0125", "0.1", "0.35"], &["0.350001", "1"]),
        ("retencion_iva", &["0", "0.106667", "0.16"], &["0.160001"]),
    ] {
        for text in good {
            assert_eq!(of(field, text), None, "{field} {text}");
        }
        for text in bad {
            assert_eq!(of(field, text).as_deref(), Some(field), "{field} {text}");
        }
    }
    let both = LineRates { ieps_tasa: rate("0.08"), ieps_cuota: rate("1"), ..LineRates::default() };
    assert_eq!(both.validate().unwrap_err().0, "ieps_cuota");
    assert!(LineRates { ieps_tasa: rate("0"), ..both }.validate().is_ok());
}

#[test]
fn a_line_overrides_its_product() {
    let product = LineRates {
        ieps_tasa: rate("0.08"),
        retencion_isr: rate("0.1"),
        retencion_iva: rate("0.106667"),
        ..LineRates::default()
    };
    let line = LineRates { ieps_cuota: rate("2"), retencion_isr: rate("0"), ..LineRates::default() };
    let rates = line.or(product).of_object("02", Withholding::AS_STATED);
    assert_eq!(rates.ieps(), Some(IepsRate::Cuota(2.into())));
    assert_eq!((rates.retencion_isr, rates.retencion_iva.is_some()), (None, true));
    let none = LineRates { ieps_tasa: rate("0"), ..LineRates::default() };
    assert_eq!(none.or(product).of_object("02", PERSON), LineRates::default());
    assert_eq!(product.of_object("01", Withholding::AS_STATED), LineRates::default());
    let withheld = LineRates { retencion_isr: rate("0.1"), ..LineRates::default() };
    assert_eq!(product.of_object("06", Withholding::AS_STATED), withheld);
}

const PERSON: Withholding = Withholding { applies: false, isr: None };

#[test]
fn companies_withhold_and_from_persons_under_resico_by_themselves() {
    let (moral, fisica) = (Some("EKU9003173C9"), Some("CACX7605101P8"));
    for (issuer, regimen, receiver, isr) in [
        (fisica, 612, moral, "0.1"),
        (moral, 601, moral, "0.1"),
        (fisica, 626, moral, "0.1"),
        (fisica, 612, fisica, "none"),
        (fisica, 626, Some("XAXX010101000"), "none"),
        (fisica, 626, None, "none"),
    ] {
        let withholding = Withholding::between(issuer, Some(regimen), receiver);
        let given = LineRates { retencion_isr: rate("0.1"), ..LineRates::default() };
        let found = given.of_object("02", withholding).retencion_isr;
        assert_eq!(
            found.map_or("none".to_owned(), |rate| rate.get().normalize().to_string()),
            isr,
            "{issuer:?} {regimen}"
        );
    }
    // Of which neither product nor line say anything, and where one says none.
    let found = |issuer, regimen, rates: LineRates| {
        rates.of_object("02", Withholding::between(issuer, Some(regimen), moral)).retencion_isr
    };
    assert_eq!(found(fisica, 626, LineRates::default()), rate("0.0125"));
    assert_eq!(found(moral, 626, LineRates::default()), None);
    assert_eq!(found(fisica, 612, LineRates::default()), None);
    assert_eq!(found(fisica, 626, LineRates { retencion_isr: rate("0"), ..LineRates::default() }), None);
}

fn shown(amounts: Amounts) -> [String; 4] {
    [amounts.subtotal, amounts.descuento, amounts.impuestos(), amounts.total].map(|amount| amount.to_string())
}

#[test]
fn a_line_is_rounded_half_up_at_each_step() {
    let rates = LineRates::of_vat(VatRate::of_key("16"));
    for (cantidad, precio, descuento, expected) in [
        ("2", "100", "0", ["200.00", "0.00", "32.00", "232.00"]),
        // 3 × 0.335 = 1.005 → 1.01; 1.01 × 0.16 = 0.1616 → 0.16
        ("3", "0.335", "0", ["1.01", "0.00", "0.16", "1.17"]),
        // (10.03 − 0.91) × 0.16 = 1.4592 → 1.46
        ("1", "10.03", "0.91", ["10.03", "0.91", "1.46", "10.58"]),
        ("1", "5", "5", ["5.00", "5.00", "0.00", "0.00"]),
    ] {
        let amounts = Amounts::of_line(quantity(cantidad), money(precio), money(descuento), &rates).unwrap();
        assert_eq!(shown(amounts), expected.map(str::to_owned), "{cantidad} × {precio} − {descuento}");
    }
    for (key, iva) in [("8", "8.00"), ("0", "0.00"), ("EX", "0.00")] {
        let rates = LineRates::of_vat(VatRate::of_key(key));
        let amounts = Amounts::of_line(quantity("1"), money("100"), money("0"), &rates).unwrap();
        assert_eq!(amounts.impuestos().to_string(), iva, "{key}");
    }
}

#[test]
fn amounts_that_cannot_be_computed_are_faults() {
    let of = |cantidad: &str, precio: &str, descuento: &str| {
        let rates = LineRates::of_vat(VatRate::of_key("16"));
        Amounts::of_line(quantity(cantidad), money(precio), money(descuento), &rates)
    };
    assert_eq!(of("1", "5", "5.01"), Err(AmountFault::DiscountAboveSubtotal));
    assert_eq!(of("999999999999999", "999999999999999999", "0"), Err(AmountFault::TooLarge));
    assert_eq!(of("1", "999999999999999999", "0"), Err(AmountFault::TooLarge), "with its IVA");
    let max = Amounts { total: money("999999999999999999.99"), ..Amounts::default() };
    assert_eq!(Amounts::of_document([&max, &max]), Err(AmountFault::TooLarge));
}

#[test]
fn the_iva_is_of_the_ieps_too_and_what_is_withheld_of_neither() {
    let of = |descuento: &str, rates: LineRates| {
        let rates = LineRates { iva_tasa: VatRate::of_key("16"), ..rates };
        let amounts = Amounts::of_line(quantity("10"), money("100"), money(descuento), &rates).unwrap();
        [amounts.ieps, amounts.iva, amounts.isr_retenido, amounts.iva_retenido(), amounts.total]
            .map(|amount| amount.to_string())
    };
    let tasa = LineRates {
        ieps_tasa: rate("0.08"),
        retencion_isr: rate("0.1"),
        retencion_iva: rate("0.106667"),
        ..LineRates::default()
    };
    assert_eq!(of("0", tasa), ["80.00", "172.80", "100.00", "106.67", "1046.13"]);
    let cuota = LineRates {
        ieps_cuota: rate("1.5"),
        retencion_isr: rate("0.0125"),
        retencion_iva: rate("0"),
        ..LineRates::default()
    };
    assert_eq!(of("100", cuota), ["15.00", "146.40", "11.25", "0.00", "1050.15"]);
}

#[test]
fn local_taxes_are_of_the_amount_before_taxes() {
    let taxes = |text: &str| serde_json::from_str::<LocalTaxes>(text).unwrap();
    let both = taxes(
        r#"[{"tipo":"traslado","nombre":"ISH","tasa":"0.03"},{"tipo":"retencion","nombre":"5 al millar","tasa":"0.005"}]"#,
    );
    let line = Amounts::of_line(quantity("1"), money("110"), money("10"), &LineRates::of_vat(VatRate::of_key("16")));
    let amounts = line.unwrap().with_local_taxes(Some(&both)).unwrap();
    let local = [amounts.locales_trasladados, amounts.locales_retenidos, amounts.retenciones, amounts.iva_retenido()];
    assert_eq!(local.map(|amount| amount.to_string()), ["3.00", "0.50", "0.50", "0.00"]);
    assert_eq!(shown(amounts), ["110.00", "10.00", "19.00", "118.50"]);
    let person = Withholding { applies: false, isr: None };
    let kept = both.clone().under(person).unwrap();
    assert_eq!(kept.iter().map(|tax| &*tax.nombre).collect::<Vec<_>>(), ["ISH"]);
    assert_eq!(both.clone().under(Withholding::AS_STATED), Some(both));
    let withheld = taxes(r#"[{"tipo":"retencion","nombre":"ICIC","tasa":"0.002"}]"#);
    assert_eq!(withheld.under(person), None);
    for (text, place) in [
        (r#"[{"tipo":"traslado","nombre":"a","tasa":"0"}]"#, (0, "tasa")),
        (r#"[{"tipo":"traslado","nombre":"a","tasa":"1.0001"}]"#, (0, "tasa")),
        (r#"[{"tipo":"traslado","nombre":"a","tasa":"0.00001"}]"#, (0, "tasa")),
        (
            r#"[{"tipo":"traslado","nombre":"a","tasa":"1"},{"tipo":"traslado","nombre":"a","tasa":"0.1"}]"#,
            (1, "nombre"),
        ),
    ] {
        let (at, field, _) = taxes(text).validate().unwrap_err();
        assert_eq!((at, field), place, "{text}");
    }
}

proptest! {
    #[test]
    fn a_document_is_the_sum_of_its_lines(
        lines in prop::collection::vec((1_i64..1_000_000_000, 0_i64..1_000_000_000, 0_i64..100, 0_usize..4), 1..40)
    ) {
        let lines: Vec<Amounts> = lines.into_iter().map(|(cantidad, precio, percent, key)| {
            let (cantidad, precio) = (Quantity::new(Decimal::new(cantidad, 3)), Money::new(Decimal::new(precio, 4)));
            let subtotal = line::subtotal(cantidad, precio).unwrap().get();
            let descuento = Money::new((subtotal * Decimal::new(percent, 2)).round_dp(2).min(subtotal));
            let rates = LineRates::of_vat(VatRate::of_key(["16", "8", "0", "EX"][key]));
            Amounts::of_line(cantidad, precio, descuento, &rates).unwrap()
        }).collect();
        let document = Amounts::of_document(&lines).unwrap();
        let sum = |part: fn(&Amounts) -> Money| lines.iter().map(|line| part(line).get()).sum::<Decimal>();
        prop_assert_eq!(document.subtotal.get(), sum(|line| line.subtotal));
        prop_assert_eq!(document.total.get(), sum(|line| line.total));
        prop_assert_eq!(
            document.subtotal.get() - document.descuento.get() + document.impuestos().get(), document.total.get()
        );
        prop_assert!(document.total.get().scale() <= 2);
    }
}
