//! Random documents of all kinds from sales, payments and names; the same seed yields the same
//! ones.

use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::{decimal, invoice, issuer, money, receiver};
use crate::domain::cfdi::{
    Amount, Certificate, Cfdi, CfdiRelacionado, CfdiRelacionados, GlobalSource, Heading, InformacionGlobal,
    InvoiceSource, Issuer, Line, PaidInvoice, PaymentOfInvoices, Periodicidad, ReceiptSource, ReceivedPayment,
    Receiver, SettledInvoice, SoldSale, Ticket, TipoDeComprobante, TipoRelacion, build_global, build_invoice,
    build_receipts, build_related,
};
use crate::domain::line::{self, IepsRate, VatRate};
use crate::domain::line_details::LineDetails;
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sat;
use crate::domain::tax::{Amounts, LineRates, TaxRate};
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::PaymentTerm;

/// Postal codes of all time zones, with and without the border's tax rate.
const PLACES: [&str; 8] = ["01000", "42501", "21000", "22000", "32000", "88000", "85000", "77500"];
const CURRENCIES: [&str; 5] = ["MXN", "MXN", "MXN", "USD", "EUR"];
const TEXTS: [&str; 24] = [
    "Tubo", "de", "&", "<b>", "\"", "'", ">", "ñandú", "A\u{301}", "  ", "\t", "\r\n", "|", "\u{a0}", "€", "😀",
    "\u{1}", "&amp;", "]]>", "100 %", "Ü", "日本", "\u{feff}", "-",
];

/// Two companies with certificates: a legal and a natural person.
pub(crate) struct Issuers {
    pub(crate) moral: Certificate,
    pub(crate) fisica: Certificate,
}

/// A source of random choices.
pub(crate) struct Dice(TestRng);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
    }

    fn below(&mut self, max: u64) -> u64 {
        self.0.next_u64() % max
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.below(sides) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// A positive decimal below `max` with at most `decimals` decimals.
    fn decimal(&mut self, max: u64, decimals: u32) -> Decimal {
        let decimals = self.below(u64::from(decimals) + 1) as u32;
        Decimal::new(1 + self.below(max * 10_u64.pow(decimals) - 1).cast_signed(), decimals)
    }

    fn text(&mut self) -> String {
        let pieces = 1 + self.below(12);
        let mut text = (0..pieces).map(|_| self.pick(&TEXTS)).collect::<Vec<_>>().join(self.pick(&["", " "]));
        if self.one_in(50) {
            text = text.repeat(200);
        }
        text + "x"
    }

    fn maybe_text(&mut self) -> Option<String> {
        (!self.one_in(4)).then(|| self.text())
    }

    fn uuid(&mut self) -> Uuid {
        Uuid::from_u64_pair(self.0.next_u64(), self.0.next_u64())
    }

    fn day(&mut self) -> Date {
        Date(
            chrono::NaiveDate::from_ymd_opt(2026, 1, 1).unwrap()
                + chrono::TimeDelta::days(self.below(365).cast_signed()),
        )
    }

    /// A document: a sale, a related sale or credit note, a period's sales, or payments.
    pub(crate) fn document(&mut self, issuers: &Issuers) -> Cfdi {
        let emisor = self.issuer(issuers);
        match self.below(6) {
            0 | 1 => build_invoice(&self.sale(emisor)),
            2 => {
                let sale = self.sale(emisor);
                let relations = self.relations();
                build_related(&sale, self.pick(&[TipoDeComprobante::E, TipoDeComprobante::I]), relations)
            }
            3 => build_global(&self.period(emisor)),
            _ => build_receipts(&self.receipts(emisor)),
        }
        .expect("a document")
    }

    fn issuer(&mut self, issuers: &Issuers) -> Issuer {
        let cp = Some(self.pick(&PLACES).to_owned());
        if self.one_in(2) {
            return Issuer { cp, certificado: Some(issuers.moral.clone()), ..issuer() };
        }
        Issuer {
            rfc: Some("CACX7605101P8".to_owned()),
            nombre: "Xóchilt Casas  Chávez".to_owned(),
            regimen: Some(self.pick(&[612, 626, 621])),
            cp,
            certificado: Some(issuers.fisica.clone()),
        }
    }

    fn receiver(&mut self) -> Receiver {
        let nombre = Some(self.text());
        let generic = |rfc: &str| Receiver { rfc: Some(rfc.to_owned()), nombre: nombre.clone(), ..Receiver::default() };
        match self.below(8) {
            0 => generic("XAXX010101000"),
            1 => Receiver { nombre: Some("Público en general".to_owned()), ..generic("XAXX010101000") },
            2 => Receiver {
                pais: Some(self.pick(&[172, 30, 279, 100])),
                num_reg_id_trib: self.maybe_text(),
                ..generic("XEXX010101000")
            },
            3 => Receiver {
                regimen: Some(612),
                ..Receiver { nombre, rfc: Some("CACX7605101P8".to_owned()), ..receiver() }
            },
            _ => {
                let rfc = self.pick(&["URE180429TM6", "H&E951128469", "OÑO120726RX3"]);
                Receiver { nombre, rfc: Some(rfc.to_owned()), ..receiver() }
            }
        }
    }

    fn heading(&mut self) -> Heading {
        let second = 1_767_225_600 + self.below(365 * 86_400).cast_signed();
        Heading {
            serie: self.maybe_text(),
            folio: self.maybe_text(),
            fecha: Timestamp::new(chrono::DateTime::from_timestamp(second, 0).unwrap()),
        }
    }

    fn relations(&mut self) -> Vec<CfdiRelacionados> {
        let kinds = [
            TipoRelacion::NotaDeCredito,
            TipoRelacion::NotaDeDebito,
            TipoRelacion::Devolucion,
            TipoRelacion::Sustitucion,
            TipoRelacion::Anticipo,
        ];
        let first = self.below(4) as usize;
        let kinds = &kinds[first..=first + self.below(2) as usize];
        kinds
            .iter()
            .map(|&tipo_relacion| CfdiRelacionados {
                tipo_relacion,
                cfdi_relacionado: (0..=self.below(3)).map(|_| CfdiRelacionado { uuid: self.uuid() }).collect(),
            })
            .collect()
    }

    fn rate(&mut self) -> Rate {
        Rate::new(self.decimal(40, 6))
    }

    fn sale(&mut self, emisor: Issuer) -> InvoiceSource {
        let receptor = self.receiver();
        let legal = receptor.rfc.as_deref().is_some_and(|rfc| rfc.chars().count() == 12);
        let withheld = emisor.rfc.as_deref().is_some_and(|rfc| rfc.chars().count() == 13) && legal;
        let lines = if self.one_in(40) { 80 } else { 1 + self.below(6) };
        let lines = (0..lines).map(|_| self.line(&emisor, withheld)).collect();
        let paid = self.one_in(2);
        let made = invoice(lines);
        let venta = SoldSale {
            moneda: self.pick(&CURRENCIES).to_owned(),
            tipo_cambio: self.rate(),
            condicion_pago: [None, Some(PaymentTerm::Contado), Some(PaymentTerm::Credito)][self.below(3) as usize],
            dias_credito: Some(self.below(90).cast_signed()),
            forma_pago_sat: Some(if paid { self.pick(&["01", "03", "28"]) } else { "99" }.to_owned()),
            metodo_pago_sat: Some(if paid { "PUE" } else { "PPD" }.to_owned()),
            ..made.venta
        };
        InvoiceSource { emisor, receptor, encabezado: self.heading(), venta, renglones: made.renglones }
    }

    fn period(&mut self, emisor: Issuer) -> GlobalSource {
        let bimonthly = emisor.regimen == Some(621);
        let tickets = 1 + self.below(8);
        let periodicidad = if bimonthly {
            Periodicidad::Bimestral
        } else {
            [Periodicidad::Diario, Periodicidad::Semanal, Periodicidad::Quincenal, Periodicidad::Mensual]
                [self.below(4) as usize]
        };
        GlobalSource {
            encabezado: self.heading(),
            periodo: InformacionGlobal::of(periodicidad, self.day().0),
            moneda: "MXN".to_owned(),
            tipo_cambio: Rate::ONE,
            forma_pago_sat: Some("01".to_owned()),
            tickets: (1..=tickets)
                .map(|number| Ticket {
                    folio: format!("T-{number}"),
                    renglones: (0..=self.below(4)).map(|_| self.line(&emisor, false)).collect(),
                })
                .collect(),
            emisor,
        }
    }

    /// A line with any taxes that its seller may charge; `withheld` if the buyer may withhold some.
    fn line(&mut self, emisor: &Issuer, withheld: bool) -> Line {
        let border = emisor.cp.as_deref().is_some_and(sat::has_border_rate);
        let vat = self.pick(&["0.160000", "0.000000", "exento", if border { "0.080000" } else { "0.160000" }]);
        let (objeto, vat) = match self.below(8) {
            0 => (Some(self.pick(&["01", "03", "04", "05", "06", "08"])), None),
            1 => (Some("07"), None),
            2 => (None, Some(vat)),
            _ => (Some("02"), Some(vat)),
        };
        let ieps = if objeto == Some("07") || (vat.is_some() && self.one_in(4)) {
            Some(match self.below(2) {
                0 => IepsRate::Tasa(decimal(self.pick(&["0.265", "0.53", "1.60", "0.08", "0.03", "0.304"]))),
                _ => IepsRate::Cuota(self.decimal(72, 6)),
            })
        } else {
            None
        };
        // Whole units at whole prices charge more than zero; the other kind charges any amount.
        let (cantidad, precio) = match self.below(2) {
            0 => (Decimal::from(1 + self.below(500)), Decimal::from(1 + self.below(10_000))),
            _ => (self.decimal(1_000, 6), self.decimal(100_000, 6)),
        };
        let (cantidad, precio_unitario) = (Quantity::new(cantidad), Money::new(precio));
        let subtotal = line::subtotal(cantidad, precio_unitario).unwrap();
        let percent = if objeto == Some("07") { 0 } else { self.pick(&[0, 0, 0, 10, 33, 100]) };
        let descuento = Money::new(Amount::rounded(subtotal.get() * Decimal::new(percent, 2), 2).get());
        let base = subtotal.get() - descuento.get();
        // No tax can be broken down without a base.
        let ieps = ieps.filter(|_| base > Decimal::ZERO);
        let (objeto, vat) = if objeto == Some("07") && ieps.is_none() { (Some("01"), None) } else { (objeto, vat) };
        let some = |dice: &mut Self, allowed: bool, rates: &[&str]| {
            (withheld && allowed && base > Decimal::ZERO && dice.one_in(2))
                .then(|| TaxRate::new(decimal(dice.pick(rates))))
        };
        let mut rates = LineRates::of_vat(vat.map(|vat| VatRate::parse(vat).unwrap()));
        (rates.ieps_tasa, rates.ieps_cuota) = match ieps {
            Some(IepsRate::Tasa(rate)) => (Some(TaxRate::new(rate)), None),
            Some(IepsRate::Cuota(pesos)) => (None, Some(TaxRate::new(pesos))),
            None => (None, None),
        };
        let isr = vat.is_some() || matches!(objeto, Some("06" | "07" | "08"));
        rates.retencion_isr = some(self, isr, &["0.100000", "0.012500"]);
        rates.retencion_iva = some(self, vat.is_some(), &["0.106667", "0.040000", "0.160000"]);
        // Enough is charged to withhold from.
        let details = self.details(withheld && base > Decimal::ONE_HUNDRED);
        Line {
            renglon: 1,
            sku: self.maybe_text(),
            descripcion: Some(self.text()),
            cantidad,
            unidad: self.maybe_text(),
            unidad_sat: Some(self.pick(&["H87", "KGM", "LTR", "E48", "XBX"]).to_owned()),
            codigo_sat: Some(self.pick(&["40171601", "01010101", "50202301", "84111506"]).to_owned()),
            objeto_impuesto: objeto.map(str::to_owned),
            precio_unitario,
            rates,
            amounts: Amounts::of_line(cantidad, precio_unitario, descuento, &rates)
                .unwrap()
                .with_local_taxes(details.impuestos_locales.as_ref())
                .unwrap(),
            details,
        }
    }

    /// Customs declaration, property account and local taxes, each of some lines.
    fn details(&mut self, withheld: bool) -> LineDetails {
        let locals = [
            r#"[{"tipo":"traslado","nombre":"ISH","tasa":"0.03"}]"#,
            r#"[{"tipo":"traslado","nombre":"ISH & \"más\"","tasa":"0.025"},{"tipo":"retencion","nombre":"5 al millar","tasa":"0.005"}]"#,
            r#"[{"tipo":"retencion","nombre":"Cedular","tasa":"0.1"},{"tipo":"retencion","nombre":"ICIC","tasa":"0.002"}]"#,
        ];
        let impuestos_locales = self.one_in(6).then(|| self.pick(&locals[..if withheld { 3 } else { 1 }]));
        LineDetails {
            numero_pedimento: self.one_in(6).then(|| "21  47  3807  8003832".to_owned()),
            cuenta_predial: self.one_in(6).then(|| "15956011002".to_owned()),
            impuestos_locales: impuestos_locales.map(|taxes| serde_json::from_str(taxes).unwrap()),
        }
    }

    fn receipts(&mut self, emisor: Issuer) -> ReceiptSource {
        ReceiptSource {
            receptor: receiver(),
            encabezado: self.heading(),
            pagos: (0..=self.below(2)).map(|_| self.receipt(&emisor)).collect(),
            emisor,
        }
    }

    fn receipt(&mut self, emisor: &Issuer) -> PaymentOfInvoices {
        let moneda = self.pick(&CURRENCIES);
        let invoices = if self.one_in(20) { 60 } else { 1 + self.below(5) };
        let facturas: Vec<_> = (0..invoices).map(|_| self.settled(emisor, moneda)).collect();
        let over = if self.one_in(5) { self.decimal(1_000, 2) } else { Decimal::ZERO };
        PaymentOfInvoices {
            pago: ReceivedPayment {
                fecha: self.day(),
                forma_pago_sat: Some(self.pick(&["01", "02", "03", "28"]).to_owned()),
                moneda: moneda.to_owned(),
                tipo_cambio: self.rate(),
                monto: Money::new(facturas.iter().map(|settled| settled.monto.get()).sum::<Decimal>() + over),
                referencia: self.maybe_text(),
            },
            facturas,
        }
    }

    /// An invoice paid in part, or the rest of one.
    fn settled(&mut self, emisor: &Issuer, pays_in: &str) -> SettledInvoice {
        let withheld = emisor.rfc.as_deref().is_some_and(|rfc| rfc.chars().count() == 13);
        let sale = loop {
            let lines = (0..=self.below(4)).map(|_| self.line(emisor, withheld)).collect();
            let sale = invoice(lines);
            // The amount suffices for three instalments above zero in any currency.
            if sale.venta.total.get() >= Decimal::TEN {
                break sale;
            }
        };
        let total = sale.venta.total.get();
        let cents = |share: Decimal| Amount::rounded(share, 2).get();
        let before = cents(total * Decimal::new(self.pick(&[0, 0, 33, 50]), 2));
        let owed = total - before;
        let paid = if self.one_in(2) { owed } else { cents(owed * Decimal::new(self.pick(&[30, 45, 80]), 2)) };
        let moneda = self.pick(&CURRENCIES);
        let monto = if moneda == pays_in {
            money(&paid.to_string())
        } else {
            Money::new(cents(paid * self.decimal(20, 2)).max(Decimal::new(1, 2)))
        };
        SettledInvoice {
            factura: PaidInvoice {
                uuid: self.uuid(),
                serie: self.maybe_text(),
                folio: self.maybe_text(),
                total: sale.venta.total,
                parcialidad: if before.is_zero() { 1 } else { 2 + self.below(30).cast_signed() },
                saldo_anterior: Money::new(owed),
                importe: Money::new(paid),
                saldo_insoluto: Money::new(owed - paid),
                notas: Vec::new(),
                renglones: sale.renglones,
            },
            moneda: moneda.to_owned(),
            monto,
        }
    }
}
