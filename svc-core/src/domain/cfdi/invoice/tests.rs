//! Income documents compared with ones computed by hand.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::source::{Issuer, Receiver};
use super::super::testing::{any_line, decimal, invoice, line, mixed, money, nobody};
use super::*;
use crate::domain::line::VatRate;
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::time::Timestamp;

fn document(source: &InvoiceSource) -> Value {
    serde_json::to_value(build_invoice(source).unwrap()).unwrap()
}

fn taxed(base: &str, rate: &str, amount: &str) -> Value {
    json!({ "Base": base, "Impuesto": "002", "TipoFactor": "Tasa", "TasaOCuota": rate, "Importe": amount })
}

#[test]
fn every_kind_of_line() {
    let found = document(&mixed());
    for (attribute, expected) in [
        ("SubTotal", "440.10"),
        ("Descuento", "5.00"),
        ("Total", "443.50"),
        ("Fecha", "2026-10-12T12:00:00"),
        ("CondicionesDePago", "Crédito a 30 días"),
        ("LugarExpedicion", "01000"),
        ("Certificado", "Y2VydGlmaWNhZG8="),
    ] {
        assert_eq!(found[attribute], expected, "{attribute}");
    }
    assert_eq!(
        found["Impuestos"],
        json!({
            "TotalImpuestosTrasladados": "8.40",
            "Traslados": [
                taxed("30.01", "0.160000", "4.80"),
                taxed("45.00", "0.080000", "3.60"),
                taxed("100.00", "0.000000", "0.00"),
                { "Base": "250.10", "Impuesto": "002", "TipoFactor": "Exento" },
            ],
        })
    );
    assert_eq!(
        found["Conceptos"][1],
        json!({
            "ClaveProdServ": "40171601", "NoIdentificacion": "TUB-12", "Cantidad": "1.5", "ClaveUnidad": "H87",
            "Unidad": "Pieza", "Descripcion": "Tubo de cobre", "ValorUnitario": "33.333333", "Importe": "50.00",
            "Descuento": "5.00", "ObjetoImp": "02",
            "Impuestos": { "Traslados": [taxed("45.00", "0.080000", "3.60")] },
        })
    );
    // Half a cent rounds up; 16 % of a cent rounds to zero.
    assert_eq!(found["Conceptos"][2]["Importe"], "0.01");
    assert_eq!(found["Conceptos"][2]["Impuestos"]["Traslados"][0], taxed("0.01", "0.160000", "0.00"));
    assert_eq!(found["Conceptos"][5]["ObjetoImp"], "01");
    assert_eq!(found["Conceptos"][5].get("Impuestos"), None);
    for absent in ["TipoCambio", "InformacionGlobal", "Complemento"] {
        assert_eq!(found.get(absent), None, "{absent}");
    }
}

#[test]
fn nodes_come_in_the_order_of_the_standard() {
    let mut source = invoice(vec![line("1", "100", "0", "0.16")]);
    source.receptor = nobody("Público en General");
    let text = serde_json::to_string(&build_invoice(&source).unwrap()).unwrap();
    let names = [
        "Version",
        "Serie",
        "Folio",
        "Fecha",
        "FormaPago",
        "NoCertificado",
        "Certificado",
        "CondicionesDePago",
        "SubTotal",
        "Moneda",
        "Total",
        "TipoDeComprobante",
        "Exportacion",
        "MetodoPago",
        "LugarExpedicion",
        "InformacionGlobal",
        "Periodicidad",
        "Meses",
        "Año",
        "Emisor",
        "Rfc",
        "Nombre",
        "RegimenFiscal",
        "Receptor",
        "DomicilioFiscalReceptor",
        "RegimenFiscalReceptor",
        "UsoCFDI",
        "Conceptos",
        "ObjetoImp",
        "TotalImpuestosTrasladados",
    ];
    let places: Vec<_> = names.iter().map(|name| text.find(&format!("\"{name}\":")).expect(name)).collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn without_discounts_there_is_none_and_what_is_exempt_has_no_sum() {
    let found = document(&invoice(vec![line("1", "80", "0", "exento")]));
    assert_eq!(found.get("Descuento"), None);
    let exempt = json!({ "Traslados": [{ "Base": "80.00", "Impuesto": "002", "TipoFactor": "Exento" }] });
    assert_eq!(found["Impuestos"], exempt);
    let found = document(&invoice(vec![line("1", "80", "0", "")]));
    assert_eq!(found.get("Impuestos"), None);
}

#[test]
fn another_currency_has_its_rate() {
    let mut source = invoice(vec![line("2", "17.5", "0", "0.160000")]);
    source.venta.moneda = "USD".to_owned();
    source.venta.tipo_cambio = Rate::new(decimal("17.5432"));
    let found = document(&source);
    assert_eq!((&found["Moneda"], &found["TipoCambio"]), (&json!("USD"), &json!("17.543200")));
    assert_eq!((&found["SubTotal"], &found["Total"]), (&json!("35.00"), &json!("40.60")));

    source.venta.moneda = "JPY".to_owned();
    assert_eq!(build_invoice(&source), Err(CfdiFault::Decimals("JPY".to_owned())));
    let mut yen = invoice(vec![line("1", "100", "0", "0.160000")]);
    yen.venta.moneda = "JPY".to_owned();
    assert_eq!(document(&yen)["Total"], "116");
    for none in ["XXX", "ABC", ""] {
        yen.venta.moneda = none.to_owned();
        assert_eq!(build_invoice(&yen), Err(CfdiFault::Currency(none.to_owned())));
    }
}

#[test]
fn the_general_public_is_stated_with_its_period() {
    let mut source = invoice(vec![line("1", "100", "0", "0.160000")]);
    // Still October where it is issued.
    source.encabezado.fecha = Timestamp::parse("2026-11-01T05:59:59Z").unwrap();
    source.receptor = nobody("Público  en general");
    let found = document(&source);
    assert_eq!(found["Fecha"], "2026-10-31T23:59:59");
    assert_eq!(found["InformacionGlobal"], json!({ "Periodicidad": "01", "Meses": "10", "Año": "2026" }));
    let expected = json!({
        "Rfc": "XAXX010101000", "Nombre": "PUBLICO EN GENERAL", "DomicilioFiscalReceptor": "01000",
        "RegimenFiscalReceptor": "616", "UsoCFDI": "S01",
    });
    assert_eq!(found["Receptor"], expected);

    // A named receiver is not the general public, nor is a foreign one.
    source.receptor = nobody("Ana Pérez");
    let found = document(&source);
    assert_eq!((&found["Receptor"]["Nombre"], found.get("InformacionGlobal")), (&json!("ANA PÉREZ"), None));
    source.receptor =
        Receiver { rfc: Some("XEXX010101000".to_owned()), cp: Some("86991".to_owned()), ..nobody("Acme Inc") };
    let found = document(&source);
    assert_eq!(found["Receptor"]["DomicilioFiscalReceptor"], "01000");
    assert_eq!(found.get("InformacionGlobal"), None);
}

#[test]
fn the_hour_is_that_of_the_place() {
    for (cp, fecha) in [
        ("21000", "2026-10-12T11:00:00"),
        ("77500", "2026-10-12T13:00:00"),
        ("85000", "2026-10-12T11:00:00"),
        ("88000", "2026-10-12T13:00:00"),
    ] {
        let mut source = mixed();
        source.emisor.cp = Some(cp.to_owned());
        assert_eq!(document(&source)["Fecha"], fecha, "{cp}");
    }
}

#[test]
fn what_was_charged_is_broken_down_and_what_was_not_is_not() {
    for (objeto, rate, discount, expected, taxes) in [
        (Some("02"), "0.160000", "0", "02", true),
        (Some("01"), "0.160000", "0", "02", true),
        (Some("03"), "0.080000", "0", "02", true),
        (Some("03"), "0.000000", "0", "03", false),
        (Some("01"), "exento", "0", "01", false),
        (Some("06"), "", "0", "06", false),
        (Some("02"), "exento", "0", "02", true),
        (None, "0.000000", "0", "02", true),
        (None, "", "0", "01", false),
        // No base is left to charge on.
        (Some("02"), "0.160000", "100", "04", false),
        (Some("02"), "exento", "100", "04", false),
    ] {
        let mut line = line("1", "100", discount, rate);
        line.objeto_impuesto = objeto.map(str::to_owned);
        let found = document(&invoice(vec![line]));
        let case = format!("{objeto:?} {rate} {discount}");
        assert_eq!(found["Conceptos"][0]["ObjetoImp"], expected, "{case}");
        assert_eq!(found["Conceptos"][0].get("Impuestos").is_some(), taxes, "{case}");
        assert_eq!(found.get("Impuestos").is_some(), taxes, "{case}");
    }
}

#[test]
fn what_a_line_lacks_has_a_default_and_text_is_tidied() {
    let mut bare = line("0.333333", "1", "0", "0.160000");
    (bare.codigo_sat, bare.unidad_sat, bare.unidad, bare.descripcion) = (None, None, None, Some(" \n".to_owned()));
    bare.sku = Some("A|B".to_owned());
    let found = document(&invoice(vec![bare]));
    let concept = &found["Conceptos"][0];
    for (attribute, expected) in [
        ("ClaveProdServ", "01010101"),
        ("ClaveUnidad", "H87"),
        ("NoIdentificacion", "A/B"),
        ("Descripcion", "A/B"),
        ("Cantidad", "0.333333"),
        ("ValorUnitario", "1.00"),
        ("Importe", "0.33"),
    ] {
        assert_eq!(concept[attribute], expected, "{attribute}");
    }
    assert_eq!(concept.get("Unidad"), None);
    assert_eq!(found["Receptor"]["Nombre"], "UNIVERSIDAD ROBÓTICA ESPAÑOLA");
}

#[test]
fn what_is_left_of_a_line_may_be_as_far_off_as_the_authority_allows() {
    // Four at 9.00 with IVA are 31.03 and 4.97; three that were returned took 23.28 and 3.72.
    let mut rest = line("1", "7.75", "0", "0.160000");
    (rest.amounts.iva, rest.amounts.total) = (money("1.25"), money("9.00"));
    let found = build_invoice(&invoice(vec![rest])).unwrap();
    assert_eq!(found.total.to_string(), "9.00");
}

#[test]
fn a_document_that_cannot_be_says_why() {
    type Change = fn(&mut InvoiceSource);
    let line_fault = |fault| CfdiFault::Line { renglon: 2, fault };
    let cases: [(Change, CfdiFault); 20] = [
        (|s| s.emisor.rfc = None, CfdiFault::Issuer("un RFC válido")),
        (|s| s.emisor.rfc = Some("XAXX010101000".to_owned()), CfdiFault::Issuer("un RFC válido")),
        (|s| s.emisor = Issuer { regimen: None, ..s.emisor.clone() }, CfdiFault::Issuer("régimen fiscal")),
        (|s| s.emisor.cp = None, CfdiFault::Issuer("un código postal válido en el lugar de expedición")),
        (
            |s| s.emisor.cp = Some("95669".to_owned()),
            CfdiFault::Issuer("un código postal válido en el lugar de expedición"),
        ),
        (|s| s.receptor.rfc = Some("URE".to_owned()), CfdiFault::Receiver("un RFC válido")),
        (|s| s.receptor.nombre = Some("  ".to_owned()), CfdiFault::Receiver("nombre")),
        (|s| s.receptor.cp = None, CfdiFault::Receiver("código postal")),
        (|s| s.receptor.regimen = None, CfdiFault::Receiver("régimen fiscal")),
        (|s| s.receptor.uso_cfdi = None, CfdiFault::Receiver("uso de CFDI")),
        (|s| s.venta.forma_pago_sat = None, CfdiFault::Missing("la forma de pago")),
        (|s| s.venta.metodo_pago_sat = None, CfdiFault::Missing("el método de pago")),
        (|s| s.renglones[1].cantidad = Quantity::default(), line_fault("la cantidad debe ser mayor que cero")),
        (
            |s| s.renglones[1].precio_unitario = Money::default(),
            line_fault("el precio unitario debe ser mayor que cero"),
        ),
        (
            |s| s.renglones[1].amounts.subtotal = money("50.01"),
            line_fault("el importe no es la cantidad por el precio unitario"),
        ),
        (|s| s.renglones[1].amounts.descuento = money("50.01"), line_fault("el descuento es mayor que el importe")),
        (|s| s.renglones[1].amounts.iva = money("3.62"), line_fault("el IVA no corresponde a su tasa")),
        (|s| s.renglones[1].rates.iva_tasa = None, line_fault("no tiene tasa de IVA")),
        (
            |s| s.renglones[1].rates.iva_tasa = VatRate::parse("0.11"),
            line_fault("su tasa de IVA no está en el catálogo del SAT"),
        ),
        (|s| s.venta.total = money("443.51"), CfdiFault::Sums("el total de la venta no es el de sus renglones")),
    ];
    for (change, expected) in cases {
        let mut source = mixed();
        change(&mut source);
        assert_eq!(build_invoice(&source), Err(expected));
    }
    let mut ieps = line("1", "1", "0", "");
    ieps.objeto_impuesto = Some("07".to_owned());
    assert_eq!(build_invoice(&invoice(vec![ieps])).unwrap_err().code(), "renglon_invalido");
    assert_eq!(build_invoice(&invoice(vec![])), Err(CfdiFault::Missing("al menos un renglón")));
    // A document in pesos cannot show a discount of half a cent.
    let odd = invoice(vec![line("1", "1", "0.005", "0.160000")]);
    assert_eq!(build_invoice(&odd), Err(CfdiFault::Decimals("MXN".to_owned())));
    assert_eq!(CfdiFault::Issuer("régimen fiscal").to_string(), "la empresa no tiene régimen fiscal");
}

proptest! {
    #[test]
    fn amounts_are_the_sales_and_groups_add_up(lines in prop::collection::vec(any_line(), 1..20)) {
        let source = invoice(lines);
        let cfdi = build_invoice(&source).unwrap();
        let sum = |amount: &dyn Fn(&Concepto) -> Decimal| cfdi.conceptos.iter().map(amount).sum::<Decimal>();
        let traslados = || cfdi.conceptos.iter().filter_map(|c| c.impuestos.as_ref()).flat_map(|i| &i.traslados);
        prop_assert_eq!(cfdi.sub_total.get(), sum(&|c| c.importe.get()));
        prop_assert_eq!(cfdi.sub_total.get(), source.venta.subtotal.get());
        prop_assert_eq!(cfdi.descuento.map_or(Decimal::ZERO, Amount::get), source.venta.descuento.get());
        prop_assert_eq!(cfdi.total.get(), source.venta.total.get());

        let groups = cfdi.impuestos.as_ref().map_or(&[][..], |impuestos| &impuestos.traslados);
        for group in groups {
            let of_it = || traslados().filter(|t| (t.tipo_factor, t.tasa_o_cuota) == (group.tipo_factor, group.tasa_o_cuota));
            prop_assert_eq!(group.base.get(), of_it().map(|t| t.base.get()).sum::<Decimal>());
            prop_assert_eq!(
                group.importe.map(Amount::get),
                group.tasa_o_cuota.map(|_| of_it().filter_map(|t| t.importe).map(Amount::get).sum::<Decimal>())
            );
        }
        prop_assert_eq!(traslados().count() == 0, groups.is_empty());
        let charged = groups.iter().filter_map(|group| group.importe).map(Amount::get).sum::<Decimal>();
        prop_assert_eq!(charged, source.venta.impuestos.get());
        prop_assert_eq!(cfdi.total.get(), source.venta.subtotal.get() - source.venta.descuento.get() + charged);
        for concept in &cfdi.conceptos {
            let base = concept.importe.get() - concept.descuento.map_or(Decimal::ZERO, Amount::get);
            for tax in concept.impuestos.iter().flat_map(|impuestos| &impuestos.traslados) {
                prop_assert_eq!(tax.base.get(), base);
                prop_assert!(base > Decimal::ZERO);
            }
            prop_assert_eq!(concept.impuestos.is_some(), concept.objeto_imp == "02");
        }
    }
}
