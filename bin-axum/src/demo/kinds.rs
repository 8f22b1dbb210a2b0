//! One tax document of each kind, made today by the back office's own actions: the imported year
//! has only invoices and their payments.

use serde_json::{Value, json};
use svc_core::Context;
use svc_core::domain::clock::{Clock as _, SystemClock, mexico_date};
use svc_core::domain::company::CompanyId;
use svc_core::json::Json;
use svc_core::operations::import::{Existing, Resource};

use chrono::{Datelike as _, NaiveDate};

use super::documents;
use crate::failure::Failure;

/// The general public, and companies of the imported customers.
const PUBLIC: i64 = 1;
const KINETIK: i64 = 8;
const ARCO_IRIS: i64 = 9;
const LA_CUESTA: i64 = 12;
const JACARANDAS: i64 = 20;
/// The one after them, who is created here.
const FOREIGN: i64 = 481;

/// Goods by the hundred, and services: freight, and what is done on site.
const GOODS: i64 = 48;
const FREIGHT: i64 = 711;
const SERVICE: i64 = 714;

/// The bank account in pesos.
const ACCOUNT: i64 = 1;
/// The branch in the border region, which the demo has for this.
const BORDER: i64 = 1;

/// The last claves that were taken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Last {
    pub(super) venta: i64,
    pub(super) cxc: i64,
    pub(super) factura: i64,
}

struct Script<'a> {
    context: &'a Context,
    company: CompanyId,
    today: NaiveDate,
}

/// Makes one document of each kind.
pub(super) async fn make(context: &Context, company: CompanyId) -> Result<Last, Failure> {
    let script = Script { context, company, today: mexico_date(SystemClock.now()) };
    script.corrected_and_credited().await?;
    script.paid_in_advance().await?;
    script.over_the_counter().await?;
    script.abroad_and_at_the_border().await?;
    let last = script.with_every_detail().await?;
    script.stamp().await?;
    Ok(last)
}

impl Script<'_> {
    async fn run(&self, action: &str, input: Value) -> Result<Value, Failure> {
        let unread = |error: serde_json::Error| Failure::Other(format!("the demo's {action}: {error}"));
        let input = serde_json::to_vec(&input).map_err(unread)?;
        let input =
            Json::parse_object(&input).map_err(|fault| Failure::Other(format!("the demo's {action}: {fault}")))?;
        let answer = self.context.run_by_name(self.company, action, &input).await?;
        serde_json::from_slice(&answer).map_err(unread)
    }

    async fn stamp(&self) -> Result<(), Failure> {
        documents::pass(self.context).await
    }

    /// An invoice to a company, paid at once by transfer, with `more`.
    async fn invoice(&self, cliente: i64, renglones: Value, more: Value) -> Result<Value, Failure> {
        let mut sale = json!({
            "tipo": "factura", "cliente": cliente, "renglones": renglones,
            "forma_pago_sat": "03", "metodo_pago_sat": "PUE",
        });
        if let (Some(sale), Value::Object(more)) = (sale.as_object_mut(), more) {
            sale.extend(more);
        }
        self.run("sale.capture", sale).await
    }

    /// PUE; PPD with its payment complement; a credit note; a return; a substitute and what it
    /// replaces.
    async fn corrected_and_credited(&self) -> Result<(), Failure> {
        let goods = |cantidad: i64| json!([{"producto": GOODS, "cantidad": cantidad, "precio_unitario": "100.00"}]);
        let credit = json!({"condicion_pago": "credito", "forma_pago_sat": "99", "metodo_pago_sat": "PPD"});
        let whole = self.invoice(KINETIK, goods(10), json!({})).await?;
        let later = self.invoice(LA_CUESTA, goods(20), credit.clone()).await?;
        let wrong = self.invoice(JACARANDAS, goods(5), json!({})).await?;
        self.stamp().await?;
        let payment = json!({
            "cxc": later["cxc"], "importe": "1000.00", "cuenta_bancaria": ACCOUNT, "forma_pago_sat": "03",
            "fecha": self.today, "referencia": "SPEI 5501",
        });
        self.run("payment.apply", payment).await?;
        let bonus = json!({
            "factura": whole["factura"], "tipo_relacion": "01", "aplicar": true,
            "renglones": [{"renglon": 1, "importe": "50.00"}],
        });
        self.run("credit-note.capture", bonus).await?;
        let back = json!({"venta": later["venta"], "renglones": [{"renglon": 1, "cantidad": 2}]});
        self.run("sale.return", back).await?;
        let correction = json!({"factura": wrong["factura"], "cambios": {"uso_cfdi": "G03", "renglones": goods(4)}});
        let right = self.run("invoice.substitute", correction).await?;
        self.stamp().await?;
        let record = self.run("sale.get", json!({"clave": wrong["venta"]})).await?;
        let documents = record["documentos"].as_array().into_iter().flatten();
        let substitute = documents.clone().find(|document| document["clave"] == right["factura"]);
        let uuid = substitute.map_or(Value::Null, |document| document["uuid"].clone());
        let cancel = json!({"factura": wrong["factura"], "motivo": "01", "uuid_sustitucion": uuid});
        self.run("invoice.cancel", cancel).await?;
        self.stamp().await
    }

    /// An advance with its invoice, the invoice that relates to it, and the note that applies it.
    async fn paid_in_advance(&self) -> Result<(), Failure> {
        let advance = json!({
            "cliente": JACARANDAS, "importe": "1160.00", "forma_pago_sat": "03", "cuenta_bancaria": ACCOUNT,
        });
        let advance = self.run("advance.capture", advance).await?;
        self.stamp().await?;
        let order = json!({
            "tipo": "pedido", "cliente": JACARANDAS, "forma_pago_sat": "03", "metodo_pago_sat": "PUE",
            "renglones": [{"producto": GOODS, "cantidad": 30, "precio_unitario": "100.00"}],
        });
        let order = self.run("sale.capture", order).await?;
        self.run("advance.apply", json!({"venta": order["venta"], "anticipo": advance["anticipo"]})).await?;
        self.run("order.invoice", json!({"venta": order["venta"]})).await?;
        self.stamp().await
    }

    /// The day's global invoice, and the own invoice of a customer's ticket.
    async fn over_the_counter(&self) -> Result<(), Failure> {
        let ticket = |cliente: i64, cantidad: i64| {
            json!({
                "tipo": "venta", "cliente": cliente, "forma_pago_sat": "01",
                "renglones": [{"producto": GOODS, "cantidad": cantidad, "precio_unitario": "12.50"}],
            })
        };
        let mut sales = Vec::new();
        for cantidad in [1, 4] {
            sales.push(self.run("sale.capture", ticket(PUBLIC, cantidad)).await?["venta"].clone());
        }
        let global = json!({
            "periodicidad": "01", "mes": self.today.month(), "año": self.today.year(), "desde": self.today,
            "ventas": sales,
        });
        self.run("invoice.global", global).await?;
        let own = self.run("sale.capture", ticket(ARCO_IRIS, 3)).await?;
        let own = json!({"venta": own["venta"], "forma_pago_sat": "01", "metodo_pago_sat": "PUE"});
        self.run("order.invoice", own).await?;
        self.stamp().await
    }

    /// A foreign customer in dollars, and a sale at 8 % in Tijuana.
    async fn abroad_and_at_the_border(&self) -> Result<(), Failure> {
        let customer = json!({
            "clave": FOREIGN, "nombre": "Lone Star Fasteners LLC", "num_reg_id_trib": "741852963", "rfc": "XEXX010101000", "regimen": 616, "uso_cfdi": "S01", "pais": 264,
        });
        let branch = json!({"clave": BORDER, "nombre": "Tijuana", "cp": "22000"});
        let warehouse = json!({"codigo": "TIJ", "nombre": "Tijuana", "sucursal": BORDER, "principal": true});
        for (resource, record) in
            [(Resource::Clientes, customer), (Resource::Sucursales, branch), (Resource::Almacenes, warehouse)]
        {
            let lines = std::iter::once(Ok(record.to_string().into_bytes()));
            self.context.import(self.company, resource, Existing::Refused, lines, &mut |_| ()).await?;
        }
        let goods = json!([{"producto": GOODS, "cantidad": 40, "precio_unitario": "6.75", "iva": "0"}]);
        self.invoice(FOREIGN, goods, json!({"moneda": "USD", "tipo_cambio": "18.25"})).await?;
        let service = json!([{"producto": SERVICE, "cantidad": 1, "precio_unitario": "500.00", "iva": "8"}]);
        self.invoice(KINETIK, service, json!({"sucursal": BORDER})).await?;
        self.stamp().await
    }

    /// A retention; a customs declaration; a property account.
    async fn with_every_detail(&self) -> Result<Last, Failure> {
        let freight = json!({
            "producto": FREIGHT, "cantidad": 1, "precio_unitario": "2500.00", "retencion_iva": "0.04",
        });
        self.invoice(KINETIK, json!([freight]), json!({})).await?;
        let year = self.today.year() % 100;
        let imported = json!({
            "producto": GOODS, "cantidad": 6, "precio_unitario": "100.00",
            "numero_pedimento": format!("{year:02} 47 3807 {}003832", year % 10),
        });
        let let_out = json!({
            "producto": SERVICE, "cantidad": 1, "precio_unitario": "1800.00",
            "descripcion": "Renta de bodega", "cuenta_predial": "15956011002",
        });
        let last = self.invoice(ARCO_IRIS, json!([imported, let_out]), json!({})).await?;
        let clave = |name: &str| last[name].as_i64().unwrap_or_default();
        Ok(Last { venta: clave("venta"), cxc: clave("cxc"), factura: clave("factura") })
    }
}
