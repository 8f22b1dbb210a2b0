//! What is done to the books themselves: months and years close, dollars are revalued, entries are
//! written by hand.

use chrono::{Datelike as _, Months, NaiveDate, TimeDelta};
use rust_decimal::Decimal;
use serde_json::json;
use svc_core::domain::clock::{Clock as _, mexico_date};

use super::business::{Business, Refused};
use super::dealings::rate_text;
use super::reports::amount;
use super::step::Deed;

/// Accounts of entries by hand, whatever their documents say.
const ACCOUNTS: [&str; 8] = ["102.01.0001", "301.01", "601.84", "701.10", "401.01", "402.01", "118.01", "208.01"];

impl Business {
    fn today(&self) -> NaiveDate {
        mexico_date(self.company.world.clock.now())
    }

    /// The first day of a month before the present one.
    fn month(&self, back: u8) -> NaiveDate {
        let first = self.today().with_day(1).expect("a first day");
        first - Months::new(u32::from(back))
    }

    pub(super) async fn keep_books(&self, deed: &Deed) -> Result<(), Refused> {
        let mes = |back: u8| json!(self.month(back).format("%Y-%m").to_string());
        match deed {
            Deed::Close(back) => self.run_by_name("ledger.close", json!({"mes": mes(*back)})).await,
            Deed::Reopen(back) => self.run_by_name("ledger.reopen", json!({"mes": mes(*back)})).await,
            Deed::Revalue(back, rate) => {
                let rates = json!([{"moneda": "USD", "tipo_cambio": rate_text(*rate)}]);
                self.run_by_name("ledger.revalue", json!({"mes": mes(*back), "tipos_cambio": rates})).await
            }
            Deed::CloseYear => {
                self.run_by_name("ledger.close-year", json!({"ejercicio": self.today().year() - 1})).await
            }
            Deed::Reverse(pick) => {
                let free =
                    "SELECT clave FROM polizas WHERE empresa = $1 AND origen <> 'documento' AND revierte IS NULL";
                let poliza = self.among(*pick, "polizas", free).await;
                self.run_by_name("ledger.reverse", json!({"poliza": poliza})).await
            }
            Deed::Write(debit, credit, cents, back) => {
                let importe = Decimal::new(i64::from(*cents), 2).to_string();
                let [debit, credit] = [debit, credit].map(|at| ACCOUNTS[usize::from(*at) % ACCOUNTS.len()]);
                let movimientos =
                    [json!({"cuenta": debit, "debe": importe}), json!({"cuenta": credit, "haber": importe})];
                let entry = json!({"fecha": self.month(*back), "concepto": "A mano", "movimientos": movimientos});
                self.run_by_name("ledger.entry", entry).await
            }
            other => unreachable!("{other:?} is no deed of the books"),
        }
    }

    /// Waits for the end of the month and revalues it: what is in dollars is what the lists say.
    pub(crate) async fn check_revaluation(&self) {
        let next = self.month(0) + Months::new(1);
        self.company.world.clock.advance(TimeDelta::days((next - self.today()).num_days() - 1));
        let rates = json!([{"moneda": "USD", "tipo_cambio": "18.123456"}]);
        let input = json!({"mes": self.month(0).format("%Y-%m").to_string(), "tipos_cambio": rates});
        let said = match self.company.run_by_name("ledger.revalue", &input).await {
            Ok(said) => said["revaluaciones"][0].clone(),
            Err(error) if error.code().codigo() == "periodo_cerrado" => return,
            Err(error) => panic!("{error}"),
        };
        let of = |cuenta: &str, field: &str| -> Decimal {
            let rows = said["saldos"].as_array().expect("balances").iter();
            rows.filter(|row| row["cuenta"] == cuenta).map(|row| amount(&row[field])).sum()
        };
        for (cuenta, listed) in [
            ("105.01", "SELECT coalesce(sum(saldo), 0) FROM cxc WHERE empresa = $1 AND moneda = 'USD'"),
            ("201.01", "SELECT coalesce(-sum(saldo), 0) FROM cxp WHERE empresa = $1 AND moneda = 'USD'"),
            (
                "102.01",
                // Without what is not posted: of captured deposits without a rate, what no payment
                // applies.
                "SELECT coalesce(sum(c.saldo), 0) - (
                     SELECT coalesce(sum(d.importe - d.aplicado), 0)
                     FROM depositos d JOIN cuentas_bancarias b ON b.empresa = $1 AND b.clave = d.cuenta_bancaria AND b.moneda = 'USD'
                     WHERE d.empresa = $1 AND d.origen = 'captura' AND NOT d.cancelado AND NOT EXISTS (
                         SELECT FROM polizas p WHERE p.empresa = $1 AND p.deposito = d.clave AND p.pago IS NULL))
                 FROM cuentas_bancarias c WHERE c.empresa = $1 AND c.moneda = 'USD'",
            ),
        ] {
            let listed: Decimal = sqlx::query_scalar(listed)
                .bind(self.company.id.0)
                .fetch_one(self.company.world.pool())
                .await
                .expect("a sum");
            assert_eq!(of(cuenta, "saldo"), listed, "{cuenta}: {said}");
        }
        let booked: Decimal = sqlx::query_scalar(
            "SELECT coalesce(sum(r.cargo - r.abono), 0)
             FROM polizas p JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
             JOIN ventas v ON v.empresa = p.empresa AND v.clave = p.venta AND v.moneda = 'USD'
             WHERE p.empresa = $1 AND r.codigo = '105.01'",
        )
        .bind(self.company.id.0)
        .fetch_one(self.company.world.pool())
        .await
        .expect("a sum");
        assert_eq!(of("105.01", "pesos"), booked, "{said}");
        let gained = amount(&said["utilidad"]) - amount(&said["perdida"]);
        let differences: Decimal =
            ["102.01", "105.01", "201.01", "205.06"].iter().map(|cuenta| of(cuenta, "diferencia")).sum();
        assert_eq!(gained, differences, "{said}");
    }
}
