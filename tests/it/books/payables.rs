//! What is owed to suppliers: captured, paid, edited and cancelled.

use rust_decimal::Decimal;
use serde_json::json;

use super::business::{Business, Refused};
use super::dealings::rate_text;
use super::step::Pick;

/// Payables that nothing is paid of.
const UNPAID: &str = "SELECT clave FROM cxp WHERE empresa = $1 AND estatus = 'pendiente' AND pagado = 0";

/// A part of an amount, in ten thousandths, in cents.
fn part_of(amount: Decimal, ten_thousandths: i64) -> String {
    (amount * Decimal::new(ten_thousandths, 4)).round_dp(2).to_string()
}

/// A total of so many cents; every third one the supplier owes.
fn total_of(cents: u32) -> Decimal {
    let total = Decimal::new(i64::from(cents), 2);
    if cents.is_multiple_of(3) { -total } else { total }
}

impl Business {
    pub(super) async fn owe(&self, cents: u32, dollars: bool, withheld: bool) -> Result<(), Refused> {
        let total = total_of(cents);
        let mut input = json!({"total": total.to_string(), "iva": part_of(total, 1379)});
        if withheld {
            input["ieps"] = json!(part_of(total, 300));
            input["retencion_isr"] = json!(part_of(total, 1049));
            input["retencion_iva"] = json!(part_of(total, 919));
        }
        if dollars {
            input["moneda"] = json!("USD");
            input["tipo_cambio"] = json!("17.543217");
        }
        self.run_by_name("payable.capture", input).await
    }

    /// Pays the given part of a payable, or receives it if the supplier owes it: in cash (0), from
    /// the account of its currency, or from that of the other (3).
    pub(super) async fn pay_payable(&self, cxp: Pick, part: u32, account: u8) -> Result<(), Refused> {
        let owed = "SELECT clave FROM cxp WHERE empresa = $1 AND saldo <> 0 AND estatus <> 'cancelado'";
        let cxp = self.among(cxp, "cxp", owed).await;
        let (saldo, moneda) = self.payable(cxp).await;
        let importe = (saldo.abs() * Decimal::new(i64::from(part), 3)).round_dp(2).max(Decimal::new(1, 2));
        let own = if moneda == "USD" { 2 } else { 1 };
        let mut input = self.terms(if account == 3 { 3 - own } else { own }, &importe);
        let fields = input.as_object_mut().expect("an object");
        fields.remove("forma_pago_sat");
        if account == 0 {
            fields.remove("cuenta_bancaria");
        }
        if account == 3 || moneda == "USD" && part.is_multiple_of(2) {
            fields.insert("tipo_cambio".to_owned(), json!(rate_text(18_000 + part)));
        }
        fields.insert("cxp".to_owned(), json!(cxp));
        fields.insert("importe".to_owned(), json!(importe.to_string()));
        self.run_by_name("payable.pay", input).await
    }

    /// Gives a payable another total, and now and then another currency.
    pub(super) async fn edit_payable(&self, pick: Pick, cents: u32) -> Result<(), Refused> {
        let cxp = self.among(pick, "cxp", UNPAID).await;
        let (_, moneda) = self.payable(cxp).await;
        let total = total_of(cents);
        let mut input = json!({"clave": cxp, "total": total.to_string(), "iva": part_of(total, 1379), "ieps": null,
                               "retencion_isr": part_of(total, 1049), "retencion_iva": null});
        match (cents % 5, moneda.as_str()) {
            (0, "USD") => {
                input["moneda"] = json!("MXN");
                input["tipo_cambio"] = json!("1");
            }
            (0, _) => {
                input["moneda"] = json!("USD");
                input["tipo_cambio"] = json!(rate_text(15_000 + cents % 7_000));
            }
            _ => {}
        }
        self.run_by_name("payable.edit", input).await
    }

    pub(super) async fn cancel_payable(&self, pick: Pick) -> Result<(), Refused> {
        let cxp = self.among(pick, "cxp", UNPAID).await;
        self.run_by_name("payable.cancel", json!({"cxp": cxp})).await
    }

    pub(super) async fn cancel_payable_payment(&self, pick: Pick) -> Result<(), Refused> {
        let standing = "SELECT clave FROM cxp_pagos WHERE empresa = $1 AND NOT cancelado";
        let pago = self.among(pick, "cxp_pagos", standing).await;
        self.run_by_name("payable.payment-cancel", json!({"pago": pago})).await
    }

    /// What is owed of a payable, and its currency.
    async fn payable(&self, cxp: i64) -> (Decimal, String) {
        let found: Option<(Decimal, String)> =
            sqlx::query_as("SELECT saldo, moneda FROM cxp WHERE empresa = $1 AND clave = $2")
                .bind(self.company.id.0)
                .bind(cxp)
                .fetch_optional(self.company.world.pool())
                .await
                .expect("a payable");
        found.unwrap_or_default()
    }
}
