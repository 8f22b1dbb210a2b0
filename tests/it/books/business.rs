//! A company and the steps it takes.

use chrono::TimeDelta;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use svc_core::Code;
use svc_core::domain::clock::{Clock as _, mexico_date};
use svc_core::domain::company::LimitMode;
use svc_core::stamping::SandboxStamper;
use svc_core::store::CompanyChange;
use svc_tests::{Actor, Company, Resource, World};

use super::step::{Deed, Document, Line, Pick};

/// The codes of refusals that may occur: for states and amounts, never for a request's form.
const REFUSALS: [&str; 28] = [
    "cancelacion_en_curso",
    "cliente_sin_rfc",
    "credito_insuficiente",
    "cuenta_bancaria_invalida",
    "cxc_cancelada",
    "cxc_sin_saldo",
    "dato_invalido",
    "documento_invalido",
    "deposito_sin_aplicar",
    "estado_invalido",
    "importe_excede_saldo",
    "metodo_pago_faltante",
    "moneda_distinta",
    "no_encontrado",
    "pago_repetido",
    "pedido_con_surtido",
    "periodo_cerrado",
    "referencia_invalida",
    "saldo_insuficiente",
    "saldo_vencido",
    "sucursal_no_coincide",
    "venta_cancelada",
    "venta_en_proceso",
    "venta_no_api",
    "venta_no_facturable",
    "venta_sin_desglose",
    "venta_sin_metodo_pago",
    "venta_ya_facturada",
];

/// The code of a refused step.
pub(crate) type Refused = String;

/// A company with customers, products, two branches with their warehouses, and two bank accounts.
pub(crate) struct Business {
    pub(crate) company: Company,
    ana: Actor,
}

impl Business {
    pub(crate) async fn found(world: &World) -> Self {
        // In a border region, for the product of 8 %.
        let cp = Some("30700".to_owned());
        let limits = CompanyChange { limites: Some(Some(LimitMode::Notice)), cp, ..CompanyChange::default() };
        let company = world.company_with(limits).await;
        company.load_certificate().await;
        let product = |iva: &str, tipo: &str, costo: &str| {
            json!({"sku": format!("{tipo}-{iva}-{costo}"), "unidad": 1,
            "iva_venta": iva, "tipo": tipo, "costo": costo})
        };
        let products = [
            product("16", "normal", "40.00"),
            product("8", "normal", "0.333333"),
            product("0", "normal", "0"),
            product("EX", "normal", "5.55"),
            product("16", "virtual_con_precio", "7.00"),
            product("16", "normal", "1000.005"),
        ];
        let customer = |nombre: &str, limite: &str| {
            json!({"nombre": nombre, "rfc": "XAXX010101000", "regimen": 616, "cp": "06700",
            "uso_cfdi": "S01", "limite_credito": limite, "dias_credito": 15})
        };
        // A foreigner's ticket may be in a global invoice and become an invoice of its own.
        let mut foreigner = customer("Cid", "0");
        foreigner["rfc"] = json!("XEXX010101000");
        let customers = [customer("Ana", "1000000.00"), customer("Bea", "20000.00"), foreigner];
        company.load(Resource::Productos, &products).await;
        company.load(Resource::Clientes, &customers).await;
        company.load(Resource::Sucursales, &[json!({"clave": 3, "nombre": "Norte"})]).await;
        company.load(Resource::Almacenes, &[json!({"codigo": "030", "sucursal": 3, "principal": true})]).await;
        let accounts = [
            json!({"nombre": "Pesos", "saldo": "5000.00"}),
            json!({"nombre": "Dólares", "moneda": "USD", "saldo": "300.00", "saldo_pesos": "5432.10"}),
        ];
        company.load(Resource::CuentasBancarias, &accounts).await;
        company.load(Resource::Proveedores, &[json!({"nombre": "Acero SA"})]).await;
        let ana = company.admin().await;
        Self { company, ana }
    }

    /// Takes a step. An unexpected refusal fails the test.
    pub(crate) async fn take(&self, deed: &Deed) -> Result<(), Refused> {
        let outcome = match deed {
            Deed::Capture(document) => self.run_by_name("sale.capture", body(document, true)).await,
            Deed::Post(document) => self.post("/ventas", body(document, false)).await,
            Deed::Invoice(sale) => {
                let venta =
                    self.among(*sale, "ventas", "SELECT clave FROM ventas WHERE empresa = $1 AND origen = 'api'").await;
                self.post(&format!("/ventas/{venta}/facturar"), json!({})).await
            }
            Deed::Begin(sale) => self.of_sale("sale.invoicing-begin", *sale).await,
            Deed::End(sale) => {
                let begun = "SELECT clave FROM ventas WHERE empresa = $1 AND facturando IS NOT NULL";
                let venta = self.among(*sale, "ventas", begun).await;
                self.run_by_name("sale.invoicing-end", json!({"venta": venta})).await
            }
            Deed::CancelSale(sale) => self.of_sale("sale.cancel", *sale).await,
            Deed::Fulfil(sale, parts) => self.fulfil(*sale, parts).await,
            Deed::Stamp(invoice) => self.stamp(*invoice).await,
            Deed::Reject(invoice) => {
                self.of_invoice("invoice.rejected", *invoice, json!({"codigo": "CFDI40147", "mensaje": "No"})).await
            }
            Deed::CancelInvoice(invoice, motivo, acceptance) => {
                self.cancel_invoice(*invoice, motivo, *acceptance).await
            }
            Deed::Accept(invoice) => self.answer("invoice.cancel-accepted", *invoice).await,
            Deed::Refuse(invoice) => self.answer("invoice.cancel-rejected", *invoice).await,
            Deed::Pay(cxc, part, origen) => self.pay(*cxc, *part, Some(origen)).await,
            Deed::PayByApi(cxc, part) => self.pay(*cxc, *part, None).await,
            Deed::PaySeveral(all, part) => self.pay_several(all, *part).await,
            Deed::CancelPayment(payment) => {
                let pago = self.one(*payment, "cxc_pagos").await;
                self.run_by_name("payment.cancel", json!({"pago": pago})).await
            }
            Deed::PayCash(cxc, part) => {
                let (cxc, importe, _) = self.owed(*cxc, *part).await;
                let fecha = mexico_date(self.company.world.clock.now()).to_string();
                let input = json!({"cxc": cxc, "importe": importe.to_string(), "forma_pago_sat": "01", "fecha": fecha});
                self.run_by_name("payment.apply", input).await
            }
            Deed::OrderQuote(sale) => {
                let quotes = "SELECT clave FROM ventas WHERE empresa = $1 AND tipo = 'cotizacion' AND NOT cancelada";
                let venta = self.among(*sale, "ventas", quotes).await;
                self.run_by_name("quote.order", json!({"venta": venta})).await
            }
            Deed::InvoiceOrder(sale) => {
                let begun = "SELECT clave FROM ventas WHERE empresa = $1 AND tipo = 'pedido' AND NOT cancelada
                             ORDER BY surtido_estatus = 'pendiente', clave LIMIT 40";
                let venta = self.among(*sale, "ventas", begun).await;
                self.run_by_name("order.invoice", json!({"venta": venta})).await
            }
            Deed::InvoiceForeign(sale, rate) => self.invoice_foreign(*sale, *rate).await,
            Deed::PayForeign(cxc, part, rate) => self.pay_foreign(*cxc, *part, *rate).await,
            Deed::Deposit(cents, dollars, rate) => self.deposit(*cents, *dollars, *rate).await,
            Deed::Buy(lines, dollars, taxed) => self.buy(lines, *dollars, *taxed).await,
            Deed::Number(account, number) => self.number(*account, *number).await,
            Deed::ApplyDeposit(pick, cxc) => self.apply_deposit(*pick, *cxc).await,
            Deed::Receive(pick, part) => self.receive(*pick, *part).await,
            Deed::ClosePurchase(pick) => self.close_purchase(*pick).await,
            Deed::Bill(pick, part, rate) => self.bill(*pick, *part, *rate).await,
            Deed::Count(producto, there) => {
                let existencia = number(Decimal::new(i64::from(*there), 3));
                self.run_by_name(
                    "stock.count",
                    json!({"producto": producto, "almacen": "001", "existencia": existencia}),
                )
                .await
            }
            Deed::Transfer(producto, moved) => {
                let cantidad = number(Decimal::new(i64::from(*moved), 3));
                let input =
                    json!({"producto": producto, "almacen": "001", "almacen_destino": "030", "cantidad": cantidad});
                self.run_by_name("stock.transfer", input).await
            }
            Deed::Owe(cents, dollars, withheld) => self.owe(*cents, *dollars, *withheld).await,
            Deed::PayPayable(cxp, part, account) => self.pay_payable(*cxp, *part, *account).await,
            Deed::CancelPayablePayment(pick) => self.cancel_payable_payment(*pick).await,
            Deed::EditPayable(pick, cents) => self.edit_payable(*pick, *cents).await,
            Deed::CancelPayable(pick) => self.cancel_payable(*pick).await,
            Deed::Wait(minutes) => {
                self.company.world.clock.advance(TimeDelta::minutes(i64::from(*minutes)));
                Ok(())
            }
            Deed::Close(_)
            | Deed::Reopen(_)
            | Deed::Revalue(..)
            | Deed::CloseYear
            | Deed::Reverse(_)
            | Deed::Write(..) => self.keep_books(deed).await,
            document => self.take_document(document).await,
        };
        if let Err(codigo) = &outcome {
            assert!(REFUSALS.contains(&codigo.as_str()), "{codigo}: {deed:?}");
        }
        outcome
    }

    pub(super) async fn run_by_name(&self, action: &str, input: Value) -> Result<(), Refused> {
        self.company.run_by_name(action, &input).await.map(|_| ()).map_err(|error| refused(&error))
    }

    async fn post(&self, path: &str, body: Value) -> Result<(), Refused> {
        let reply = self.ana.post(path, body).await;
        let refused = || reply.json()["error"]["codigo"].as_str().unwrap_or_default().to_owned();
        if reply.status < 300 { Ok(()) } else { Err(refused()) }
    }

    /// An existing record of a table, if there is any.
    async fn one(&self, pick: Pick, table: &'static str) -> i64 {
        let last: Option<i64> = sqlx::query_scalar("SELECT valor FROM contadores WHERE empresa = $1 AND serie = $2")
            .bind(self.company.id.0)
            .bind(table)
            .fetch_optional(self.company.world.pool())
            .await
            .expect("a counter");
        pick.of(last.unwrap_or_default())
    }

    /// One of the records that `statement` finds, if there are any; now and then any record.
    pub(super) async fn among(&self, pick: Pick, table: &'static str, statement: &'static str) -> i64 {
        let mut found: Vec<i64> = sqlx::query_scalar(statement)
            .bind(self.company.id.0)
            .fetch_all(self.company.world.pool())
            .await
            .expect("claves");
        // Sorted, so that the same deed finds the same record with any plan of the database.
        if !statement.contains("ORDER BY") {
            found.sort_unstable();
        }
        if found.is_empty() || pick.is_loose() { self.one(pick, table).await } else { pick.in_list(&found) }
    }

    async fn cancel_invoice(&self, invoice: Pick, motivo: &str, acceptance: bool) -> Result<(), Refused> {
        let mut input = json!({"motivo": motivo, "requiere_aceptacion": acceptance});
        let valid = "SELECT clave FROM facturas WHERE empresa = $1 AND tipo = 'factura' AND estatus = 'vigente'";
        let factura = json!({"factura": self.among(invoice, "facturas", valid).await});
        input["factura"] = factura["factura"].clone();
        if motivo == "01" {
            let made =
                self.company.run_by_name("invoice.substitute", &factura).await.map_err(|error| refused(&error))?;
            let clave = made["factura"].as_i64().expect("a clave");
            let uuid = json!(format!("00000000-0000-4000-8000-{clave:012}"));
            let stamped = json!({"factura": clave, "uuid": uuid});
            self.company.run_by_name("invoice.stamped", &stamped).await.map_err(|error| refused(&error))?;
            input["uuid_sustitucion"] = uuid;
        }
        self.run_by_name("invoice.cancel", input).await
    }

    /// The receiver's answer to the cancellation of an invoice.
    async fn answer(&self, action: &str, invoice: Pick) -> Result<(), Refused> {
        let asked = "SELECT clave FROM facturas WHERE empresa = $1 AND cancelacion_solicitada IS NOT NULL";
        let factura = self.among(invoice, "facturas", asked).await;
        self.run_by_name(action, json!({"factura": factura})).await
    }

    async fn of_sale(&self, action: &str, sale: Pick) -> Result<(), Refused> {
        let venta = self.one(sale, "ventas").await;
        self.run_by_name(action, json!({"venta": venta})).await
    }

    /// Stamps an invoice with a fiscal folio of its own.
    async fn stamp(&self, invoice: Pick) -> Result<(), Refused> {
        let factura = self.one(invoice, "facturas").await;
        // The validation of documents needs their XML.
        if std::env::var_os("SVC_TEST_DOCUMENTS").is_some() {
            self.company.world.stamp(&SandboxStamper).await;
            return Ok(());
        }
        let uuid = format!("10000000-0000-4000-8000-{factura:012}");
        self.run_by_name("invoice.stamped", json!({"factura": factura, "uuid": uuid})).await
    }

    async fn of_invoice(&self, action: &str, invoice: Pick, mut input: Value) -> Result<(), Refused> {
        input["factura"] = json!(self.one(invoice, "facturas").await);
        self.run_by_name(action, input).await
    }

    async fn fulfil(&self, sale: Pick, parts: &[u32]) -> Result<(), Refused> {
        let venta = self.one(sale, "ventas").await;
        let ordered: Vec<(i64, Decimal)> = sqlx::query_as(
            "SELECT renglon, cantidad FROM ventas_renglones WHERE empresa = $1 AND venta = $2 ORDER BY renglon",
        )
        .bind(self.company.id.0)
        .bind(venta)
        .fetch_all(self.company.world.pool())
        .await
        .expect("lines");
        let hand = |((renglon, cantidad), part): (&(i64, Decimal), &u32)| {
            let part = (cantidad * Decimal::new(i64::from(*part), 3)).round_dp(3).max(Decimal::new(1, 3));
            json!({"renglon": renglon, "cantidad": number(part)})
        };
        let handed: Vec<Value> = ordered.iter().zip(parts).map(hand).collect();
        if handed.is_empty() {
            return Err("no_encontrado".to_owned());
        }
        self.run_by_name("order.fulfil", json!({"venta": venta, "renglones": handed})).await
    }

    /// A receivable, the given part of what is owed of it, and the bank account of its currency.
    async fn owed(&self, cxc: Pick, part: u32) -> (i64, Decimal, i64) {
        let cxc = self.one(cxc, "cxc").await;
        let (importe, cuenta) = self.owed_of(cxc, part).await;
        (cxc, importe, cuenta)
    }

    /// The given part of what is owed of a receivable, and the bank account of its currency.
    pub(super) async fn owed_of(&self, cxc: i64, part: u32) -> (Decimal, i64) {
        let found: Option<(Decimal, String)> =
            sqlx::query_as("SELECT saldo, moneda FROM cxc WHERE empresa = $1 AND clave = $2")
                .bind(self.company.id.0)
                .bind(cxc)
                .fetch_optional(self.company.world.pool())
                .await
                .expect("a receivable");
        let (saldo, moneda) = found.unwrap_or_default();
        let importe = (saldo * Decimal::new(i64::from(part), 3)).round_dp(2).max(Decimal::new(1, 2));
        (importe, if moneda == "USD" { 2 } else { 1 })
    }

    /// The common fields of a payment made today.
    pub(super) fn terms(&self, cuenta: i64, importe: &Decimal) -> Value {
        let now = self.company.world.clock.now();
        json!({"cuenta_bancaria": cuenta, "forma_pago_sat": "03", "fecha": mexico_date(now).to_string(),
               "referencia": format!("SPEI {}", importe.mantissa() % 5)})
    }

    async fn pay(&self, cxc: Pick, part: u32, origen: Option<&str>) -> Result<(), Refused> {
        let (cxc, importe, cuenta) = self.owed(cxc, part).await;
        let mut input = self.terms(cuenta, &importe);
        input["importe"] = json!(importe.to_string());
        match origen {
            None => self.post(&format!("/cxc/{cxc}/pagos"), input).await,
            Some(origen) => {
                input["cxc"] = json!(cxc);
                input["origen"] = json!(origen);
                self.run_by_name("payment.apply", input).await
            }
        }
    }

    async fn pay_several(&self, all: &[Pick], part: u32) -> Result<(), Refused> {
        let (mut parts, mut total, mut account) = (Vec::<Value>::new(), Decimal::ZERO, 1);
        for pick in all {
            let (cxc, importe, cuenta) = self.owed(*pick, part).await;
            if parts.iter().all(|part| part["cxc"] != cxc) {
                parts.push(json!({"cxc": cxc, "importe": importe.to_string()}));
                (total, account) = (total + importe, cuenta);
            }
        }
        let mut input = self.terms(account, &total);
        input["aplicaciones"] = json!(parts);
        self.run_by_name("payment.apply", input).await
    }
}

fn body(document: &Document, captured: bool) -> Value {
    // An advance has no local taxes.
    let of = if document.tipo == "anticipo" { line } else { sold };
    let lines: Vec<Value> = document.lines.iter().map(of).collect();
    let mut body = json!({"tipo": document.tipo, "cliente": document.cliente, "renglones": lines});
    if captured {
        body["sucursal"] = json!(document.sucursal);
    }
    if document.credito {
        body["condicion_pago"] = json!("credito");
    }
    if document.dolares {
        body["moneda"] = json!("USD");
        body["tipo_cambio"] = json!("17.543217");
    }
    if let Some(method) = document.metodo {
        body["metodo_pago_sat"] = json!(method);
        body["forma_pago_sat"] = json!(if method == "PPD" { "99" } else { "03" });
    }
    body
}

fn line(line: &Line) -> Value {
    let cantidad = Decimal::new(i64::from(line.cantidad), 3);
    let precio = Decimal::new(i64::try_from(line.precio).expect("a price"), 6);
    let subtotal = (cantidad * precio).round_dp_with_strategy(2, rust_decimal::RoundingStrategy::MidpointAwayFromZero);
    let descuento = (subtotal * Decimal::new(i64::from(line.descuento), 3)).round_dp(2).min(subtotal);
    json!({"producto": line.producto, "cantidad": number(cantidad), "precio_unitario": precio.to_string(),
           "descuento": descuento.to_string()})
}

/// A line that is sold: every fifth has local taxes; companies withhold one of them.
fn sold(sold: &Line) -> Value {
    let mut body = line(sold);
    if sold.cantidad.is_multiple_of(5) {
        body["impuestos_locales"] = json!([
            {"tipo": "traslado", "nombre": "ISH", "tasa": "0.035"},
            {"tipo": "retencion", "nombre": "5 al millar", "tasa": "0.005"},
        ]);
    }
    body
}

/// A JSON number with exactly this value.
pub(super) fn number(value: Decimal) -> Value {
    serde_json::from_str(&value.to_string()).expect("a number")
}

/// The code of a refusal. The reason why a document could not be made is printed, because facturar
/// validates the same documents.
fn refused(error: &svc_core::Error) -> Refused {
    if error.code() == Code::DocumentoInvalido {
        println!("{error:?}");
    }
    error.code().codigo().to_owned()
}
