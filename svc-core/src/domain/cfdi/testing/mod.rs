//! Sources of documents for tests.

pub(crate) mod random;

use proptest::prelude::{Strategy, prop};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::Amount;
use super::source::{
    Certificate, Heading, InvoiceSource, Issuer, Line, PaidInvoice, PaymentSource, ReceivedPayment, Receiver, SoldSale,
};
use crate::domain::line::VatRate;
use crate::domain::line_details::LineDetails;
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::tax::{Amounts, LineRates};
use crate::domain::time::{Date, Timestamp, parse_date};
use crate::domain::words::PaymentTerm;

pub(crate) fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

pub(crate) fn money(text: &str) -> Money {
    Money::parse(text).unwrap()
}

/// A company of Mexico City with a certificate.
pub(crate) fn issuer() -> Issuer {
    Issuer {
        rfc: Some("EKU9003173C9".to_owned()),
        nombre: "Escuela Kemper Urgate".to_owned(),
        regimen: Some(601),
        cp: Some("01000".to_owned()),
        certificado: Some(Certificate { numero: "30001000000500003416".to_owned(), der: b"certificado".to_vec() }),
    }
}

/// A customer whose regime allows every CFDI use.
pub(crate) fn receiver() -> Receiver {
    Receiver {
        rfc: Some("URE180429TM6".to_owned()),
        nombre: Some("Universidad Robótica  Española".to_owned()),
        cp: Some("86991".to_owned()),
        regimen: Some(601),
        uso_cfdi: Some("G03".to_owned()),
        ..Receiver::default()
    }
}

/// A customer without RFC, with an arbitrary name.
pub(crate) fn nobody(nombre: &str) -> Receiver {
    Receiver { rfc: Some("XAXX010101000".to_owned()), nombre: Some(nombre.to_owned()), ..Receiver::default() }
}

pub(crate) fn heading() -> Heading {
    Heading {
        serie: Some("F".to_owned()),
        folio: Some("25".to_owned()),
        fecha: Timestamp::parse("2026-10-12T18:00:00Z").unwrap(),
    }
}

/// A line with amounts computed from these values; an empty `rate` means no IVA.
pub(crate) fn line(cantidad: &str, precio: &str, descuento: &str, rate: &str) -> Line {
    let (cantidad, precio_unitario) = (Quantity::new(decimal(cantidad)), money(precio));
    let rates = LineRates::of_vat((!rate.is_empty()).then(|| VatRate::parse(rate).unwrap()));
    Line {
        renglon: 1,
        sku: Some("TUB-12".to_owned()),
        descripcion: Some("Tubo de cobre".to_owned()),
        cantidad,
        unidad: Some("Pieza".to_owned()),
        unidad_sat: Some("H87".to_owned()),
        codigo_sat: Some("40171601".to_owned()),
        objeto_impuesto: Some(if rate.is_empty() { "01" } else { "02" }.to_owned()),
        precio_unitario,
        rates,
        details: LineDetails::default(),
        amounts: Amounts::of_line(cantidad, precio_unitario, money(descuento), &rates).unwrap(),
    }
}

/// A sale of these lines, on credit.
pub(crate) fn invoice(mut renglones: Vec<Line>) -> InvoiceSource {
    for (number, line) in (1..).zip(&mut renglones) {
        line.renglon = number;
    }
    let sum = |amount: fn(&Line) -> Money| Money::new(renglones.iter().map(|line| amount(line).get()).sum());
    InvoiceSource {
        emisor: issuer(),
        receptor: receiver(),
        encabezado: heading(),
        venta: SoldSale {
            moneda: "MXN".to_owned(),
            tipo_cambio: Rate::ONE,
            condicion_pago: Some(PaymentTerm::Credito),
            dias_credito: Some(30),
            forma_pago_sat: Some("99".to_owned()),
            metodo_pago_sat: Some("PPD".to_owned()),
            uso_cfdi: None,
            subtotal: sum(|line| line.amounts.subtotal),
            descuento: sum(|line| line.amounts.descuento),
            impuestos: sum(|line| line.amounts.impuestos()),
            total: sum(|line| line.amounts.total),
        },
        renglones,
    }
}

/// A sale with every kind of line: 443.50 in all.
pub(crate) fn mixed() -> InvoiceSource {
    invoice(vec![
        line("3", "10", "0", "0.160000"),
        line("1.5", "33.333333", "5", "0.080000"),
        line("2", "0.005", "0", "0.160000"),
        line("1", "100", "0", "0.000000"),
        line("1", "250.10", "0", "exento"),
        line("1", "9.99", "0", ""),
    ])
}

/// A payment of [`mixed`]'s invoice while `saldo` is owed.
pub(crate) fn paid(parcialidad: i64, saldo: &str, importe: &str) -> PaidInvoice {
    let sale = mixed();
    PaidInvoice {
        uuid: Uuid::from_u128(0x5ad4_27b5_2b1e_4d3c_9f0a_1b2c_3d4e_5f60),
        serie: Some("F".to_owned()),
        folio: Some("25".to_owned()),
        total: sale.venta.total,
        parcialidad,
        saldo_anterior: money(saldo),
        importe: money(importe),
        saldo_insoluto: Money::new(decimal(saldo) - decimal(importe)),
        notas: Vec::new(),
        renglones: sale.renglones,
    }
}

/// A transfer that pays these invoices.
pub(crate) fn payment(facturas: Vec<PaidInvoice>) -> PaymentSource {
    PaymentSource {
        emisor: issuer(),
        receptor: receiver(),
        encabezado: Heading { serie: Some("P".to_owned()), ..heading() },
        pago: ReceivedPayment {
            fecha: Date(parse_date("2026-10-11").unwrap()),
            forma_pago_sat: Some("03".to_owned()),
            moneda: "MXN".to_owned(),
            tipo_cambio: Rate::ONE,
            monto: Money::new(facturas.iter().map(|invoice| invoice.importe.get()).sum()),
            referencia: Some("SPEI 77123".to_owned()),
        },
        facturas,
    }
}

/// A line of any quantity, price and rate, with a discount from zero to all of it.
pub(crate) fn any_line() -> impl Strategy<Value = Line> {
    let rates = prop::sample::select(vec!["0.160000", "0.080000", "0.000000", "exento", ""]);
    (1_i64..1_000_000_000, 1_i64..1_000_000_000, 0..=100_i64, rates).prop_map(|(cantidad, precio, percent, rate)| {
        let fixed = |units| Decimal::new(units, 6).to_string();
        let whole = line(&fixed(cantidad), &fixed(precio), "0", rate);
        let discount = Amount::rounded(whole.amounts.subtotal.get() * Decimal::new(percent, 2), 2);
        line(&fixed(cantidad), &fixed(precio), &discount.to_string(), rate)
    })
}
