//! Random credit notes, advances and global invoices.

use chrono::Datelike as _;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use svc_core::domain::clock::{Clock as _, mexico_date};

use super::business::{Business, Refused, number};
use super::step::{Deed, Pick};

const STAMPED: &str = "SELECT clave FROM facturas WHERE empresa = $1 AND tipo = 'factura' AND estatus = 'vigente'";
const NOTES: &str = "SELECT clave FROM facturas WHERE empresa = $1 AND tipo = 'nota_credito' AND estatus = 'vigente'";
const OPEN: &str = "SELECT clave FROM ventas WHERE empresa = $1 AND tipo IN ('pedido', 'cotizacion') AND NOT cancelada";
const ADVANCES: &str = "SELECT clave FROM ventas WHERE empresa = $1 AND tipo = 'anticipo' AND factura IS NOT NULL";

const FREE: &str =
    "SELECT clave FROM ventas WHERE empresa = $1 AND tipo = 'venta' AND NOT cancelada AND factura IS NULL";
const TICKETS: &str =
    "SELECT clave FROM ventas WHERE empresa = $1 AND tipo = 'venta' AND NOT cancelada AND cliente = 3";
const RETURNABLE: &str =
    "SELECT clave FROM ventas WHERE empresa = $1 AND tipo IN ('venta', 'factura') AND NOT cancelada";
const FAILED: &str = "SELECT clave FROM facturas WHERE empresa = $1 AND estatus = 'error'";
const GLOBALS: &str = "SELECT clave FROM facturas
     WHERE empresa = $1 AND tipo = 'factura' AND estatus = 'vigente' AND venta IS NULL";

impl Business {
    /// Takes a step about credit notes, advances, tickets and global invoices.
    pub(super) async fn take_document(&self, deed: &Deed) -> Result<(), Refused> {
        match deed {
            Deed::Credit(invoice, part, back, aplicar) => self.credit(*invoice, *part, *back, *aplicar).await,
            Deed::CancelNote(note, acceptance) => self.cancel_note(*note, *acceptance).await,
            Deed::Advance(cliente, cents, rate) => self.advance(*cliente, *cents, *rate).await,
            Deed::NameAdvance(sale, advance) => self.name_advance(*sale, *advance).await,
            Deed::InvoicePeriod => self.invoice_period().await,
            Deed::GlobalOf(ticket) => self.global_of(*ticket).await,
            Deed::InvoiceTicket(ticket) => self.invoice_ticket(*ticket).await,
            Deed::Return(sale, part, bank) => self.return_goods(*sale, *part, *bank).await,
            Deed::SubstituteGlobal(invoice) => self.substitute_global(*invoice).await,
            Deed::Discard(document) => self.of_failed("document.discard", *document).await,
            Deed::Reissue(document) => self.of_failed("invoice.restamp", *document).await,
            other => unreachable!("{other:?}"),
        }
    }

    /// A note on a stamped invoice, of thousandths of every second line: returned goods, or a
    /// discount.
    pub(super) async fn credit(&self, invoice: Pick, part: u32, back: bool, aplicar: bool) -> Result<(), Refused> {
        let factura = self.among(invoice, "facturas", STAMPED).await;
        let lines: Vec<(i64, Decimal, Decimal)> = sqlx::query_as(
            "SELECT r.renglon, r.cantidad, r.subtotal - r.descuento
             FROM facturas f JOIN ventas_renglones r ON r.empresa = f.empresa AND r.venta = f.venta
             WHERE f.empresa = $1 AND f.clave = $2 AND r.renglon % 2 = 1 ORDER BY r.renglon",
        )
        .bind(self.company.id.0)
        .bind(factura)
        .fetch_all(self.company.world.pool())
        .await
        .expect("lines");
        let part = |whole: Decimal, scale| (whole * Decimal::new(i64::from(part), 3)).round_dp(scale);
        let line = |(renglon, cantidad, importe): &(i64, Decimal, Decimal)| {
            if back {
                json!({"renglon": renglon, "cantidad": number(part(*cantidad, 3).max(Decimal::new(1, 3)))})
            } else {
                json!({"renglon": renglon, "importe": part(*importe, 2).max(Decimal::new(1, 2)).to_string()})
            }
        };
        let renglones: Vec<Value> = lines.iter().map(line).collect();
        if renglones.is_empty() {
            return Err("no_encontrado".to_owned());
        }
        let tipo = if back { "03" } else { "01" };
        let input = json!({"factura": factura, "tipo_relacion": tipo, "renglones": renglones, "aplicar": aplicar});
        self.run_by_name("credit-note.capture", input).await
    }

    pub(super) async fn cancel_note(&self, note: Pick, acceptance: bool) -> Result<(), Refused> {
        let factura = self.among(note, "facturas", NOTES).await;
        let input = json!({"factura": factura, "motivo": "02", "requiere_aceptacion": acceptance});
        self.run_by_name("invoice.cancel", input).await
    }

    /// An advance in cents: dollars at a rate, or pesos.
    pub(super) async fn advance(&self, cliente: i64, cents: u32, rate: Option<u32>) -> Result<(), Refused> {
        let importe = Decimal::new(i64::from(cents), 2).to_string();
        let mut input = json!({"cliente": cliente, "importe": importe, "forma_pago_sat": "03", "cuenta_bancaria": 1});
        if let Some(rate) = rate {
            input["moneda"] = json!("USD");
            input["tipo_cambio"] = json!(super::dealings::rate_text(rate));
            input["cuenta_bancaria"] = json!(2);
        }
        self.run_by_name("advance.capture", input).await
    }

    pub(super) async fn name_advance(&self, sale: Pick, advance: Pick) -> Result<(), Refused> {
        let venta = self.among(sale, "ventas", OPEN).await;
        let anticipo = self.among(advance, "ventas", ADVANCES).await;
        self.run_by_name("advance.apply", json!({"venta": venta, "anticipo": anticipo})).await
    }

    /// This month's global invoice.
    pub(super) async fn invoice_period(&self) -> Result<(), Refused> {
        let today = mexico_date(self.company.world.clock.now());
        let input = json!({"periodicidad": "04", "mes": today.month(), "año": today.year()});
        self.run_by_name("invoice.global", input).await
    }

    /// A ticket as the only one of this month's global invoice.
    pub(super) async fn global_of(&self, ticket: Pick) -> Result<(), Refused> {
        let today = mexico_date(self.company.world.clock.now());
        let venta = self.among(ticket, "ventas", FREE).await;
        let input = json!({"periodicidad": "04", "mes": today.month(), "año": today.year(), "ventas": [venta]});
        self.run_by_name("invoice.global", input).await
    }

    pub(super) async fn invoice_ticket(&self, ticket: Pick) -> Result<(), Refused> {
        let venta = self.among(ticket, "ventas", TICKETS).await;
        self.run_by_name("order.invoice", json!({"venta": venta})).await
    }

    pub(super) async fn substitute_global(&self, invoice: Pick) -> Result<(), Refused> {
        let factura = self.among(invoice, "facturas", GLOBALS).await;
        self.run_by_name("invoice.substitute", json!({"factura": factura})).await
    }

    pub(super) async fn of_failed(&self, action: &str, document: Pick) -> Result<(), Refused> {
        let factura = self.among(document, "facturas", FAILED).await;
        self.run_by_name(action, json!({"factura": factura})).await
    }

    /// Thousandths of every second line come back.
    pub(super) async fn return_goods(&self, sale: Pick, part: u32, bank: bool) -> Result<(), Refused> {
        let venta = self.among(sale, "ventas", RETURNABLE).await;
        let lines: Vec<(i64, Decimal, String)> = sqlx::query_as(
            "SELECT r.renglon, r.cantidad, v.moneda
             FROM ventas_renglones r JOIN ventas v ON v.empresa = r.empresa AND v.clave = r.venta
             WHERE r.empresa = $1 AND r.venta = $2 AND r.renglon % 2 = 1 ORDER BY r.renglon",
        )
        .bind(self.company.id.0)
        .bind(venta)
        .fetch_all(self.company.world.pool())
        .await
        .expect("lines");
        let units = |whole: Decimal| (whole * Decimal::new(i64::from(part), 3)).round_dp(3).max(Decimal::new(1, 3));
        let line = |(renglon, cantidad, _): &(i64, Decimal, String)| json!({"renglon": renglon, "cantidad": number(units(*cantidad))});
        let renglones: Vec<Value> = lines.iter().map(line).collect();
        if renglones.is_empty() {
            return Err("no_encontrado".to_owned());
        }
        let mut input = json!({"venta": venta, "renglones": renglones});
        if bank {
            let dollars = lines.iter().any(|(_, _, moneda)| moneda == "USD");
            input["cuenta_bancaria"] = json!(if dollars { 2 } else { 1 });
        }
        self.run_by_name("sale.return", input).await
    }
}
