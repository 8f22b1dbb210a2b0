//! Business in other currencies, with deposits and with suppliers, and checks of its ledger.

use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::business::{Business, Refused, number};
use super::step::Pick;

/// Orders with goods still to come.
const OPEN_PURCHASES: &str = "SELECT clave FROM compras WHERE empresa = $1 AND estatus IN ('pendiente', 'parcial')";

impl Business {
    pub(super) async fn invoice_foreign(&self, sale: Pick, rate: u32) -> Result<(), Refused> {
        let foreign =
            "SELECT clave FROM ventas WHERE empresa = $1 AND tipo IN ('pedido', 'cotizacion') AND NOT cancelada
                       AND moneda <> 'MXN' ORDER BY surtido_estatus = 'pendiente', clave DESC LIMIT 20";
        let venta = self.among(sale, "ventas", foreign).await;
        self.run_by_name("order.invoice", json!({"venta": venta, "tipo_cambio": rate_text(rate)})).await
    }

    pub(super) async fn pay_foreign(&self, cxc: Pick, part: u32, rate: u32) -> Result<(), Refused> {
        let foreign = "SELECT clave FROM cxc WHERE empresa = $1 AND moneda <> 'MXN' AND saldo > 0";
        let cxc = self.among(cxc, "cxc", foreign).await;
        let (importe, cuenta) = self.owed_of(cxc, part).await;
        let mut input = self.terms(cuenta, &importe);
        input["cxc"] = json!(cxc);
        input["importe"] = json!(importe.to_string());
        input["tipo_cambio"] = json!(rate_text(rate));
        self.run_by_name("payment.apply", input).await
    }

    pub(super) async fn deposit(&self, cents: u32, dollars: bool, rate: Option<u32>) -> Result<(), Refused> {
        let importe = Decimal::new(i64::from(cents), 2);
        let mut input = self.terms(if dollars { 2 } else { 1 }, &importe);
        input.as_object_mut().expect("an object").remove("forma_pago_sat");
        input["importe"] = json!(importe.to_string());
        if let (true, Some(rate)) = (dollars, rate) {
            input["tipo_cambio"] = json!(rate_text(rate));
        }
        self.run_by_name("deposit.capture", input).await
    }

    pub(super) async fn buy(&self, lines: &[(i64, u32, u32)], dollars: bool, taxed: bool) -> Result<(), Refused> {
        let line = |(producto, cantidad, costo): &(i64, u32, u32)| {
            let (cantidad, costo) = (Decimal::new(i64::from(*cantidad), 3), Decimal::new(i64::from(*costo), 4));
            let mut line =
                json!({"producto": producto, "cantidad": number(cantidad), "costo_unitario": costo.to_string()});
            if taxed {
                let part = |rate: i64| (cantidad * costo * Decimal::new(rate, 4)).round_dp(2).to_string();
                line["ieps"] = json!(part(800));
                line["retencion_isr"] = json!(part(1000));
            }
            line
        };
        let lines: Vec<Value> = lines.iter().map(line).collect();
        let mut input = json!({"proveedor": 1, "renglones": lines});
        if dollars {
            input["moneda"] = json!("USD");
            input["tipo_cambio"] = json!("17.543217");
        }
        self.run_by_name("purchase.capture", input).await
    }

    pub(super) async fn number(&self, account: u8, number: u8) -> Result<(), Refused> {
        let accounts = ["102.01", "105.01", "115.01", "201.01", "205.06", "209.01", "401.01", "702.01"];
        let cuenta = accounts[usize::from(account) % accounts.len()];
        let numero = (number > 0).then(|| format!("{}-{number:03}", 1000 + i32::from(account)));
        self.run_by_name("account.edit", json!({"cuenta": cuenta, "numero": numero})).await
    }

    /// Applies the rest of a waiting deposit to receivables of its currency, to each as much as is
    /// owed.
    pub(super) async fn apply_deposit(&self, pick: Pick, cxc: Pick) -> Result<(), Refused> {
        let waiting = "SELECT clave FROM depositos WHERE empresa = $1 AND NOT cancelado AND aplicado < importe";
        let deposito = self.among(pick, "depositos", waiting).await;
        let found: Option<(i64, chrono::NaiveDate, Decimal, String)> = sqlx::query_as(
            "SELECT cuenta_bancaria, fecha, importe - aplicado, referencia FROM depositos WHERE empresa = $1 AND clave = $2",
        )
        .bind(self.company.id.0)
        .bind(deposito)
        .fetch_optional(self.company.world.pool())
        .await
        .expect("a deposit");
        let Some((cuenta, fecha, mut rest, referencia)) = found else { return Err("no_encontrado".to_owned()) };
        let owed: Vec<(i64, Decimal)> = sqlx::query_as(
            "SELECT x.clave, x.saldo FROM cxc x JOIN cuentas_bancarias c ON c.empresa = $1 AND c.clave = $2 AND c.moneda = x.moneda
             WHERE x.empresa = $1 AND x.saldo > 0 AND x.fecha <= $3 ORDER BY x.clave",
        )
        .bind(self.company.id.0)
        .bind(cuenta)
        .bind(fecha)
        .fetch_all(self.company.world.pool())
        .await
        .expect("receivables");
        let mut parts = Vec::new();
        let first = if owed.is_empty() { 0 } else { usize::try_from(cxc.of(owed.len() as i64)).expect("an index") - 1 };
        for (clave, saldo) in owed.iter().cycle().skip(first).take(owed.len()) {
            let part = rest.min(*saldo);
            if part > Decimal::ZERO {
                parts.push(json!({"cxc": clave, "importe": part.to_string()}));
            }
            rest -= part;
        }
        if rest > Decimal::ZERO || parts.is_empty() {
            return Err("importe_excede_saldo".to_owned());
        }
        let input = json!({"aplicaciones": parts, "cuenta_bancaria": cuenta, "forma_pago_sat": "03",
                           "fecha": fecha.to_string(), "referencia": referencia});
        self.run_by_name("payment.apply", input).await
    }

    /// Receives the given part of what is pending on each line of an order, or all.
    pub(super) async fn receive(&self, pick: Pick, part: u32) -> Result<(), Refused> {
        let compra = self.among(pick, "compras", OPEN_PURCHASES).await;
        if part >= 1000 {
            return self.run_by_name("purchase.receive", json!({"compra": compra})).await;
        }
        let pending: Vec<(i64, Decimal)> = sqlx::query_as(
            "SELECT renglon, cantidad - cantidad_recibida FROM compras_renglones WHERE empresa = $1 AND compra = $2",
        )
        .bind(self.company.id.0)
        .bind(compra)
        .fetch_all(self.company.world.pool())
        .await
        .expect("lines");
        let come = |(renglon, pending): &(i64, Decimal)| {
            let cantidad = (pending * Decimal::new(i64::from(part), 3)).round_dp(3);
            (cantidad > Decimal::ZERO).then(|| json!({"renglon": renglon, "cantidad": number(cantidad)}))
        };
        let lines: Vec<Value> = pending.iter().filter_map(come).collect();
        if lines.is_empty() {
            return Err("estado_invalido".to_owned());
        }
        self.run_by_name("purchase.receive", json!({"compra": compra, "renglones": lines})).await
    }

    pub(super) async fn close_purchase(&self, pick: Pick) -> Result<(), Refused> {
        let compra = self.among(pick, "compras", OPEN_PURCHASES).await;
        self.run_by_name("purchase.close", json!({"compra": compra})).await
    }

    /// The supplier's bill of an order, for the given part of its total, before or after its goods
    /// arrive.
    pub(super) async fn bill(&self, pick: Pick, part: u32, rate: u32) -> Result<(), Refused> {
        let unbilled = "SELECT clave FROM compras WHERE empresa = $1 AND cxp IS NULL AND estatus <> 'cancelada'";
        let compra = self.among(pick, "compras", unbilled).await;
        let found: Option<(Decimal, String)> =
            sqlx::query_as("SELECT total, moneda FROM compras WHERE empresa = $1 AND clave = $2")
                .bind(self.company.id.0)
                .bind(compra)
                .fetch_optional(self.company.world.pool())
                .await
                .expect("an order");
        let Some((total, moneda)) = found else { return Err("no_encontrado".to_owned()) };
        let total = (total * Decimal::new(i64::from(part), 3)).round_dp(2);
        let mut input = json!({"compra": compra, "total": total.to_string()});
        if moneda == "USD" {
            input["tipo_cambio"] = json!(rate_text(rate));
        }
        self.run_by_name("payable.capture", input).await
    }

    /// The trial balance is the sum of the entries' lines, and sums up to zero.
    pub(crate) async fn check_trial_balance(&self) {
        let balance = self.company.run_by_name("ledger.balance", &json!({})).await.expect("a trial balance");
        let totals = &balance["totales"];
        assert_eq!([&totals["saldo_inicial"], &totals["saldo"]], [&json!("0.00"), &json!("0.00")]);
        assert_eq!(totals["cargos"], totals["abonos"]);
        let said = balance["cuentas"].as_array().expect("accounts").iter();
        let said: Vec<(&str, Decimal)> = said
            .map(|row| {
                (
                    row["cuenta"].as_str().expect("text"),
                    row["saldo"].as_str().expect("text").parse().expect("an amount"),
                )
            })
            .collect();
        let summed: Vec<(String, Decimal)> = sqlx::query_as(
            "SELECT cuenta, sum(cargo) - sum(abono) FROM polizas_renglones WHERE empresa = $1 GROUP BY cuenta ORDER BY cuenta",
        )
        .bind(self.company.id.0)
        .fetch_all(self.company.world.pool())
        .await
        .expect("sums");
        let summed: Vec<(&str, Decimal)> = summed.iter().map(|(cuenta, saldo)| (cuenta.as_str(), *saldo)).collect();
        assert_eq!(said, summed);
    }
}

/// An exchange rate in thousandths of a peso.
pub(super) fn rate_text(thousandths: u32) -> String {
    Decimal::new(i64::from(thousandths), 3).to_string()
}
