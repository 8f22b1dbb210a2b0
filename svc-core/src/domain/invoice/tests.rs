use super::*;

fn sale() -> LockedSale {
    LockedSale {
        folio: Some(1),
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
        cliente_rfc: None,
        moneda: "MXN".to_owned(),
        tipo_cambio: Rate::ONE,
        condicion_pago: Some(PaymentTerm::Contado),
        dias_credito: None,
        forma_pago_sat: Some("03".to_owned()),
        metodo_pago_sat: None,
        uso_cfdi: Some("G03".to_owned()),
        amounts: Amounts::default(),
        ingresos: SaleIncome::default(),
        saldo: Money::default(),
        con_anticipos: false,
        con_cuenta: false,
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
fn a_sale_is_validated_in_the_contract_s_order() {
    let all = LockedSale {
        tipo: SaleKind::Factura,
        origen: SaleOrigin::Aplicacion,
        cancelada: true,
        facturada: true,
        surtido: Some(Fulfilment::Parcial),
        sucursal: 3,
        ..sale()
    };
    let mut locked = all.clone();
    assert_eq!(locked.validate(0), Err(Code::VentaNoApi));
    locked.origen = SaleOrigin::Api;
    assert_eq!(locked.validate(0), Err(Code::VentaCancelada));
    locked.cancelada = false;
    assert_eq!(locked.validate(0), Err(Code::VentaYaFacturada));
    locked.facturada = false;
    assert_eq!(locked.validate(0), Err(Code::VentaYaFacturada), "an invoice that names none");
    locked.tipo = SaleKind::Anticipo;
    assert_eq!(locked.validate(0), Err(Code::VentaNoFacturable));
    locked.tipo = SaleKind::Pedido;
    assert_eq!(locked.validate(0), Err(Code::PedidoConSurtido));
    locked.surtido = None;
    assert_eq!(locked.validate(0), Err(Code::SucursalNoCoincide));
    assert_eq!(locked.validate(3), Ok(()));
    for (tipo, surtido, expected) in [
        (SaleKind::Pedido, Some(Fulfilment::Pendiente), Ok(())),
        (SaleKind::Pedido, Some(Fulfilment::Surtido), Err(Code::PedidoConSurtido)),
        (SaleKind::Cotizacion, None, Ok(())),
        (SaleKind::Venta, None, Err(Code::VentaNoFacturable)),
        (SaleKind::Remision, None, Err(Code::VentaNoFacturable)),
    ] {
        assert_eq!(LockedSale { tipo, surtido, ..sale() }.validate(0), expected, "{tipo:?} {surtido:?}");
    }
}

#[test]
fn only_what_was_requested_over_the_api_is_reported_again() {
    assert_eq!(sale().requested(), None);
    for (origen, by_the_api) in [(InvoiceOrigin::Api, true), (InvoiceOrigin::Aplicacion, false)] {
        let sale = LockedSale { factura: Some(invoice(origen)), facturada: true, ..sale() };
        assert_eq!(sale.requested().is_some(), by_the_api, "{origen:?}");
    }
}

#[test]
fn the_application_has_ten_minutes() {
    let since: DateTime<Utc> = "2026-10-12T18:00:00Z".parse().unwrap();
    let held = LockedSale { facturando: Some(since), ..sale() };
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
        (generic, Some(616), Some("06700"), Some("G02"), Err(Code::UsoCfdiIncompatible)),
        (generic, Some(616), Some("06700"), Some("CP01"), Err(Code::UsoCfdiIncompatible)),
        (moral, Some(601), Some("06700"), Some("CP01"), Err(Code::UsoCfdiIncompatible)),
    ] {
        let (rfc, cp) = (rfc.map(str::to_owned), cp.map(str::to_owned));
        let mut receiver = Receiver { rfc, cp, regimen, ..Receiver::default() };
        let result = validate_receiver(TipoDeComprobante::I, &receiver, uso);
        assert_eq!(result.as_deref(), expected.as_ref().map(|uso| *uso), "{receiver:?} {uso:?}");
        receiver.uso_cfdi = uso.map(str::to_owned);
        assert_eq!(validate_receiver(TipoDeComprobante::I, &receiver, None), result, "{receiver:?}");
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
        let terms = ProposedTerms {
            forma_pago_sat: form.map(str::to_owned),
            metodo_pago_sat: method.map(str::to_owned),
            uso_cfdi: None,
        };
        let result = validate_payment(term, &terms);
        if let Ok(paid) = &result {
            assert_eq!((Some(paid.condicion_pago), Some(paid.forma_pago_sat.as_str())), (term, form));
        }
        assert_eq!(result.map(|paid| paid.metodo_pago_sat), expected, "{term:?} {method:?} {form:?}");
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
        let result = validate_credit(decimal(limit), decimal(owed), decimal(total), overdue);
        assert_eq!(result, expected, "{limit} {owed} {total} {overdue}");
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
        let result = validate_advance(decimal(percent), decimal(advance), decimal(total));
        let expected = if enough { Ok(()) } else { Err(Code::AnticipoInsuficiente) };
        assert_eq!(result, expected, "{percent} % {advance} of {total}");
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
