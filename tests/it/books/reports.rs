//! Reports say what the ledger says, whatever was done before.

use chrono::{Days, NaiveDate};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use svc_core::domain::clock::{Clock as _, mexico_date};

use super::business::Business;

/// An amount of a report.
pub(crate) fn amount(value: &Value) -> Decimal {
    value.as_str().expect("an amount").parse().expect("a decimal")
}

/// The sum of a field of every record of an array.
pub(crate) fn total(records: &Value, field: &str) -> Decimal {
    records.as_array().expect("records").iter().map(|record| amount(&record[field])).sum()
}

impl Business {
    /// Checks every report of some days against the entries' lines.
    pub(crate) async fn check_reports(&self) {
        let today = mexico_date(self.company.world.clock.now());
        for back in [0, 1, 5, 20] {
            self.check_aging(today - Days::new(back)).await;
        }
        self.check_statements(today).await;
        self.check_statements(today - Days::new(2)).await;
        for month in self.months().await {
            self.check_vat(month).await;
        }
        for desde in [NaiveDate::from_ymd_opt(2020, 1, 1).expect("a day"), today - Days::new(3)] {
            self.check_sales(desde, today).await;
        }
    }

    async fn report(&self, action: &str, input: Value) -> Value {
        self.company.run_by_name(action, &input).await.unwrap_or_else(|error| panic!("{action} {input}: {error}"))
    }

    /// Debits less credits of accounts in a span of days, without what closed a year. A code that
    /// ends in a point stands for all that begin with it.
    async fn booked(&self, codes: &[&str], desde: NaiveDate, hasta: NaiveDate) -> Decimal {
        let like: Vec<String> = codes
            .iter()
            .map(|code| if code.ends_with('.') { format!("{code}%") } else { (*code).to_owned() })
            .collect();
        sqlx::query_scalar(
            "SELECT coalesce(sum(r.cargo - r.abono), 0)
             FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
             WHERE p.empresa = $1 AND r.codigo LIKE ANY ($2) AND p.fecha BETWEEN $3 AND $4 AND p.origen <> 'cierre'",
        )
        .bind(self.company.id.0)
        .bind(like)
        .bind(desde)
        .bind(hasta)
        .fetch_one(self.company.world.pool())
        .await
        .expect("a sum")
    }

    async fn months(&self) -> Vec<NaiveDate> {
        sqlx::query_scalar("SELECT DISTINCT date_trunc('month', fecha)::date FROM polizas WHERE empresa = $1")
            .bind(self.company.id.0)
            .fetch_all(self.company.world.pool())
            .await
            .expect("months")
    }

    async fn check_aging(&self, al: NaiveDate) {
        let first = NaiveDate::from_ymd_opt(2000, 1, 1).expect("a day");
        for (de, account, sign) in [("cxc", "105.01", 1), ("cxp", "201.01", -1)] {
            let said = self.report("report.aging", json!({"de": de, "al": al})).await;
            let booked = self.booked(&[account], first, al).await * Decimal::from(sign);
            assert_eq!(amount(&said["saldo"]), booked, "{de} at {al}: {said}");
            assert_eq!(amount(&said["totales"]["total"]), booked, "{de} at {al}: {said}");
            assert_eq!(said["sin_documento"], "0.00");
            let ages = ["por_vencer", "de_1_a_30", "de_31_a_60", "de_61_a_90", "mas_de_90"];
            assert_eq!(ages.iter().map(|age| amount(&said["totales"][age])).sum::<Decimal>(), booked);
            assert_eq!(total(&said["renglones"], "total") + amount(&said["otros"]["total"]), booked);
        }
    }

    /// The statements of all customers are what the aging says of them.
    async fn check_statements(&self, hasta: NaiveDate) {
        let aging = self.report("report.aging", json!({"de": "cxc", "al": hasta})).await;
        let desde = hasta - Days::new(4);
        for cliente in 1..=3 {
            let said =
                self.report("report.statement", json!({"cliente": cliente, "desde": desde, "hasta": hasta})).await;
            let aged = aging["renglones"].as_array().expect("lines").iter().filter(|line| line["clave"] == cliente);
            let owed: Decimal = aged.map(|line| amount(&line["total"])).sum();
            assert_eq!(amount(&said["saldo"]), owed, "customer {cliente} at {hasta}: {said}");
            assert_eq!(total(&said["documentos"], "saldo_pesos"), owed, "customer {cliente} at {hasta}: {said}");
            let moved = amount(&said["cargos"]) - amount(&said["abonos"]);
            assert_eq!(amount(&said["saldo_inicial"]) + moved, owed);
            let lines = total(&said["movimientos"], "cargo") - total(&said["movimientos"], "abono");
            let left_out = amount(&said["omitidos"]["cargos"]) - amount(&said["omitidos"]["abonos"]);
            assert_eq!(lines + left_out, moved);
        }
    }

    async fn check_vat(&self, month: NaiveDate) {
        let last = month + chrono::Months::new(1) - Days::new(1);
        let said = self.report("report.vat", json!({"mes": month.format("%Y-%m").to_string()})).await;
        let suppliers = said["proveedores"].as_array().expect("suppliers").iter();
        for (list, sums, field, account, sign) in [
            ("trasladado", "trasladado_total", "iva_cobrado", "208.01", -1),
            ("trasladado", "trasladado_total", "iva_por_cobrar", "209.01", -1),
            ("acreditable", "acreditable_total", "iva_pagado", "118.01", 1),
            ("acreditable", "acreditable_total", "iva_por_pagar", "119.01", 1),
            ("acreditable", "acreditable_total", "iva_retenido", "216.10", -1),
        ] {
            let booked = self.booked(&[account], month, last).await * Decimal::from(sign);
            assert_eq!(amount(&said[sums][field]), booked, "{field} of {month}: {said}");
            assert_eq!(total(&said[list], field), booked, "{field} of {month}: {said}");
            if list == "acreditable" {
                let by_supplier: Decimal = suppliers.clone().map(|one| total(&one["tasas"], field)).sum();
                assert_eq!(by_supplier, booked, "{field} of {month}: {said}");
            }
        }
        let ieps = [("cobrado", "208.02"), ("por_cobrar", "209.02")];
        for (field, account) in ieps {
            assert_eq!(amount(&said["ieps"][field]), -self.booked(&[account], month, last).await);
        }
    }

    async fn check_sales(&self, desde: NaiveDate, hasta: NaiveDate) {
        let ventas = -self.booked(&["401."], desde, hasta).await;
        let descuentos = self.booked(&["402."], desde, hasta).await;
        for por in ["dia", "cliente", "producto", "vendedor"] {
            let said = self.report("report.sales", json!({"desde": desde, "hasta": hasta, "por": por})).await;
            for (field, booked) in [("ventas", ventas), ("descuentos", descuentos), ("neto", ventas - descuentos)] {
                assert_eq!(amount(&said["totales"][field]), booked, "{field} by {por}: {said}");
                let summed = total(&said["renglones"], field) + amount(&said["otros"][field]);
                assert_eq!(summed, booked, "{field} by {por}: {said}");
            }
        }
    }
}
