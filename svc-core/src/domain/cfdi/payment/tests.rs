//! Payment documents compared with ones computed by hand.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::tax::Charges;
use super::super::testing::{decimal, invoice, line, mixed, money, nobody, paid, payment};
use super::*;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;

fn document(source: &PaymentSource) -> Value {
    serde_json::to_value(build_payment(source).unwrap()).unwrap()
}

fn taxed(suffix: &str, base: &str, rate: &str, amount: &str) -> Value {
    let name = |name: &str| format!("{name}{suffix}");
    json!({
        name("Base"): base, name("Impuesto"): "002", name("TipoFactor"): "Tasa", name("TasaOCuota"): rate,
        name("Importe"): amount,
    })
}

fn exempt(suffix: &str, base: &str) -> Value {
    let name = |name: &str| format!("{name}{suffix}");
    json!({ name("Base"): base, name("Impuesto"): "002", name("TipoFactor"): "Exento" })
}

#[test]
fn the_first_of_three_instalments() {
    let found = document(&payment(vec![paid(1, "443.50", "100")]));
    let payments = &found["Complemento"]["Pagos"];
    let taxes = |suffix| {
        json!([
            taxed(suffix, "6.766629", "0.160000", "1.082661"),
            taxed(suffix, "10.146561", "0.080000", "0.811725"),
            taxed(suffix, "22.547914", "0.000000", "0.000000"),
            exempt(suffix, "56.392334"),
        ])
    };
    assert_eq!(
        payments["Pago"],
        json!([{
            "FechaPago": "2026-10-11T12:00:00", "FormaDePagoP": "03", "MonedaP": "MXN", "TipoCambioP": "1",
            "Monto": "100.00", "NumOperacion": "SPEI 77123",
            "DoctoRelacionado": [{
                "IdDocumento": "5ad427b5-2b1e-4d3c-9f0a-1b2c3d4e5f60", "Serie": "F", "Folio": "25", "MonedaDR": "MXN",
                "EquivalenciaDR": "1", "NumParcialidad": "1", "ImpSaldoAnt": "443.50", "ImpPagado": "100.00",
                "ImpSaldoInsoluto": "343.50", "ObjetoImpDR": "02", "ImpuestosDR": { "TrasladosDR": taxes("DR") },
            }],
            "ImpuestosP": { "TrasladosP": taxes("P") },
        }])
    );
    assert_eq!(
        payments["Totales"],
        json!({
            "TotalTrasladosBaseIVA16": "6.77", "TotalTrasladosImpuestoIVA16": "1.08",
            "TotalTrasladosBaseIVA8": "10.15", "TotalTrasladosImpuestoIVA8": "0.81",
            "TotalTrasladosBaseIVA0": "22.55", "TotalTrasladosImpuestoIVA0": "0.00",
            "TotalTrasladosBaseIVAExento": "56.39", "MontoTotalPagos": "100.00",
        })
    );
    assert_eq!(payments["Version"], "2.0");
}

#[test]
fn the_last_instalment_takes_what_is_left() {
    let found = document(&payment(vec![paid(3, "243.50", "243.50")]));
    let invoice = &found["Complemento"]["Pagos"]["Pago"][0]["DoctoRelacionado"][0];
    assert_eq!(invoice["ImpSaldoInsoluto"], "0.00");
    assert_eq!(
        invoice["ImpuestosDR"]["TrasladosDR"],
        json!([
            taxed("DR", "16.476742", "0.160000", "2.636279"),
            taxed("DR", "24.706877", "0.080000", "1.976550"),
            taxed("DR", "54.904171", "0.000000", "0.000000"),
            exempt("DR", "137.315333"),
        ])
    );
}

#[test]
fn around_the_complement_all_is_fixed() {
    let mut source = payment(vec![paid(1, "443.50", "443.50")]);
    source.receptor.uso_cfdi = None;
    let found = document(&source);
    for (attribute, expected) in [
        ("Serie", "P"),
        ("SubTotal", "0"),
        ("Total", "0"),
        ("Moneda", "XXX"),
        ("TipoDeComprobante", "P"),
        ("Exportacion", "01"),
    ] {
        assert_eq!(found[attribute], expected, "{attribute}");
    }
    assert_eq!(found["Receptor"]["UsoCFDI"], "CP01");
    assert_eq!(
        found["Conceptos"],
        json!([{
            "ClaveProdServ": "84111506", "Cantidad": "1", "ClaveUnidad": "ACT", "Descripcion": "Pago", "ValorUnitario": "0",
            "Importe": "0", "ObjetoImp": "01",
        }])
    );
    source.receptor = nobody("Público en general");
    let generic = document(&source);
    assert_eq!(generic["Receptor"]["DomicilioFiscalReceptor"], "01000");
    for absent in
        ["FormaPago", "MetodoPago", "CondicionesDePago", "Descuento", "TipoCambio", "Impuestos", "InformacionGlobal"]
    {
        assert_eq!((found.get(absent), generic.get(absent)), (None, None), "{absent}");
    }
}

#[test]
fn another_currency_is_totalled_in_pesos() {
    let mut source = payment(vec![paid(1, "443.50", "100")]);
    source.pago.moneda = "USD".to_owned();
    source.pago.tipo_cambio = Rate::new(decimal("17.5432"));
    let found = document(&source);
    let payments = &found["Complemento"]["Pagos"];
    let payment = &payments["Pago"][0];
    assert_eq!((&payment["MonedaP"], &payment["TipoCambioP"]), (&json!("USD"), &json!("17.543200")));
    let invoice = &payment["DoctoRelacionado"][0];
    assert_eq!((&invoice["MonedaDR"], &invoice["EquivalenciaDR"]), (&json!("USD"), &json!("1")));
    assert_eq!(payment["ImpuestosP"]["TrasladosP"][0], taxed("P", "6.766629", "0.160000", "1.082661"));
    assert_eq!(
        payments["Totales"],
        json!({
            "TotalTrasladosBaseIVA16": "118.71", "TotalTrasladosImpuestoIVA16": "18.99",
            "TotalTrasladosBaseIVA8": "178.00", "TotalTrasladosImpuestoIVA8": "14.24",
            "TotalTrasladosBaseIVA0": "395.56", "TotalTrasladosImpuestoIVA0": "0.00",
            "TotalTrasladosBaseIVAExento": "989.30", "MontoTotalPagos": "1754.32",
        })
    );
}

#[test]
fn several_invoices_add_up_and_one_may_have_no_taxes() {
    let mut untaxed = paid(2, "9.99", "4.99");
    untaxed.renglones = vec![line("1", "9.99", "0", "")];
    untaxed.total = money("9.99");
    let mut plain = paid(1, "116", "58");
    plain.renglones = vec![line("1", "100", "0", "0.160000")];
    plain.total = money("116");
    let found = document(&payment(vec![paid(1, "443.50", "100"), untaxed.clone(), plain]));
    let payments = &found["Complemento"]["Pagos"];
    assert_eq!(payments["Pago"][0]["Monto"], "162.99");
    assert_eq!(payments["Pago"][0]["DoctoRelacionado"][1]["ObjetoImpDR"], "01");
    assert_eq!(payments["Pago"][0]["DoctoRelacionado"][1].get("ImpuestosDR"), None);
    assert_eq!(payments["Pago"][0]["ImpuestosP"]["TrasladosP"][0], taxed("P", "56.766629", "0.160000", "9.082661"));

    let found = document(&payment(vec![untaxed]));
    let payments = &found["Complemento"]["Pagos"];
    assert_eq!(payments["Pago"][0].get("ImpuestosP"), None);
    assert_eq!(payments["Totales"], json!({ "MontoTotalPagos": "4.99" }));
}

#[test]
fn a_document_that_cannot_be_says_why() {
    type Change = fn(&mut PaymentSource);
    let balance = CfdiFault::Sums("el saldo de la factura es mayor que su total");
    let lines = CfdiFault::Sums("los renglones de la venta no suman el total de la factura que se paga");
    let cases: [(Change, CfdiFault); 8] = [
        (|s| s.receptor.rfc = None, CfdiFault::Receiver("un RFC válido")),
        (|s| s.pago.forma_pago_sat = None, CfdiFault::Missing("la forma de pago")),
        (|s| s.facturas.clear(), CfdiFault::Missing("la factura que se paga")),
        (|s| s.pago.monto = money("99.99"), CfdiFault::Sums("se aplica más de lo que se pagó")),
        (
            |s| s.facturas[0].saldo_insoluto = money("343.51"),
            CfdiFault::Sums("el saldo insoluto no es el saldo anterior menos lo pagado"),
        ),
        (|s| s.facturas[0].total = money("443.49"), balance),
        (|s| s.facturas[0].total = Money::default(), lines),
        (|s| s.facturas[0].renglones.clear(), CfdiFault::EmptySale("F25".to_owned())),
    ];
    for (change, expected) in cases {
        let mut source = payment(vec![paid(1, "443.50", "100")]);
        change(&mut source);
        assert_eq!(build_payment(&source), Err(expected));
    }
}

proptest! {
    /// For any instalments, the bases add up to the invoice's and each tax follows from its base.
    #[test]
    fn instalments_add_up(cuts in prop::collection::btree_set(1_i64..44_350, 0..6)) {
        let bounds: Vec<i64> = [0].into_iter().chain(cuts).chain([44_350]).collect();
        let mut sums = Charges::default();
        for (number, bound) in (1..).zip(bounds.windows(2)) {
            let pesos = |cents| Decimal::new(cents, 2);
            let owed = Decimal::new(44_350, 2) - pesos(bound[0]);
            let invoice = paid(number, &owed.to_string(), &(pesos(bound[1]) - pesos(bound[0])).to_string());
            for (levy, charge) in share(&invoice).unwrap().traslados.iter() {
                let tax = charge.base * levy.rate().unwrap_or_default();
                prop_assert!((tax - charge.importe).abs() <= decimal("0.0000005"));
                sums.add(levy, charge).unwrap();
            }
        }
        for (rate, base) in [("0.16", "30.01"), ("0.08", "45"), ("0", "100"), ("exento", "250.1")] {
            let levy = Levy::iva(VatRate::parse(rate).unwrap()).unwrap();
            prop_assert_eq!(sums.get(levy).unwrap().base, decimal(base));
        }
    }

    #[test]
    fn amounts_of_any_size_build_or_are_refused(
        price in 10_000_i64..=i64::MAX, quantity in 1_i64..50_000, rate in 1_i64..=i64::MAX,
    ) {
        let price = Decimal::new(price, 6).to_string();
        let sale = invoice(vec![line(&quantity.to_string(), &price, "0", "0.160000")]);
        let mut invoice = paid(1, &sale.venta.total.to_string(), &sale.venta.total.to_string());
        invoice.total = sale.venta.total;
        invoice.renglones = sale.renglones;
        let mut source = payment(vec![invoice]);
        source.pago.moneda = "USD".to_owned();
        source.pago.tipo_cambio = Rate::new(Decimal::new(rate, 6));
        match build_payment(&source) {
            Ok(cfdi) => {
                let pagos = cfdi.complemento.unwrap().pagos;
                prop_assert_eq!(pagos.unwrap().pago[0].monto.get(), sale.venta.total.get());
            }
            Err(fault) => prop_assert_eq!(fault, CfdiFault::TooLarge),
        }
    }
}

#[test]
fn the_whole_of_an_invoice_has_all_of_its_base() {
    let whole = share(&paid(1, "443.50", "443.50")).unwrap();
    let sale = mixed();
    let base: Decimal = whole.traslados.iter().map(|(_, charge)| charge.base).sum();
    assert_eq!(base, sale.venta.subtotal.get() - sale.venta.descuento.get() - decimal("9.99"));
}
