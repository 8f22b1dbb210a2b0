//! Suppliers, purchase orders with their lines, accounts payable.

use rust_decimal::{Decimal, RoundingStrategy};
use serde::Deserialize;
use uuid::Uuid;

use super::{Record, require, require_clave, require_currency};
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Quantity, Rate};
use crate::domain::rfc::Rfc;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{PayableKind, PayableStatus, PurchaseStatus, SupplierStatus};
use crate::error::Code;
use crate::json::{Fault, Text};
use crate::store::{StoreError, Tx};

/// A supplier.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct SupplierRecord {
    pub clave: Option<i64>,
    pub folio: Option<Text<50>>,
    pub nombre: Option<Text<255>>,
    pub contacto: Option<Text<100>>,
    pub rfc: Option<Text<13>>,
    pub correo: Option<Text<255>>,
    pub telefono: Option<Text<30>>,
    pub estatus: Option<SupplierStatus>,
}

/// A purchase order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct PurchaseRecord {
    pub clave: Option<i64>,
    pub folio: Option<Text<50>>,
    pub estatus: Option<PurchaseStatus>,
    pub proveedor: i64,
    pub fecha: Option<Timestamp>,
    pub fecha_entrega: Option<Date>,
    pub sucursal: Option<i64>,
    /// By its code.
    pub almacen: Option<Text<3>>,
    pub moneda: Option<Text<3>>,
    pub tipo_cambio: Option<Rate>,
    pub subtotal: Option<Money>,
    pub descuento: Option<Money>,
    pub impuestos: Option<Money>,
    pub total: Option<Money>,
    pub cxp: Option<i64>,
    pub comentarios: Option<Text<500>>,
    pub modificado: Option<Timestamp>,
}

/// A line of a purchase order; without product it is of something that is in no catalogue.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct PurchaseLineRecord {
    pub clave: Option<i64>,
    pub compra: i64,
    pub renglon: i64,
    /// By clave or, when it has none, by `sku`.
    pub producto: Option<i64>,
    pub sku: Option<Text<100>>,
    pub descripcion: Option<Text<500>>,
    pub cantidad: Quantity,
    pub cantidad_recibida: Option<Quantity>,
    pub unidad: Option<Text<100>>,
    pub costo_unitario: Option<Money>,
    pub descuento: Option<Money>,
    pub subtotal: Option<Money>,
    pub iva: Option<Money>,
    pub total: Option<Money>,
}

/// An account payable.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct PayableRecord {
    pub clave: Option<i64>,
    pub folio: Option<Text<50>>,
    pub tipo: Option<PayableKind>,
    pub estatus: Option<PayableStatus>,
    /// 0 is none.
    pub proveedor: Option<i64>,
    pub compra: Option<i64>,
    pub factura: Option<Text<255>>,
    pub uuid: Option<Text<36>>,
    pub fecha: Option<Date>,
    pub vencimiento: Option<Date>,
    pub moneda: Option<Text<3>>,
    pub tipo_cambio: Option<Rate>,
    pub total: Option<Balance>,
    pub pagado: Option<Balance>,
    pub saldo: Option<Balance>,
    pub sucursal: Option<i64>,
    pub operaciones: Option<i64>,
    pub concepto: Option<Text<500>>,
    pub modificado: Option<Timestamp>,
}

impl PurchaseLineRecord {
    /// The subtotal; left out, it is quantity by cost, rounded half-up to two decimals, before discount.
    pub fn subtotal(&self) -> Money {
        self.subtotal.unwrap_or_else(|| {
            let exact = self.cantidad.get().saturating_mul(self.costo_unitario.unwrap_or_default().get());
            Money::new(exact.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero))
        })
    }

    /// The total; left out, it is the subtotal less the discount with IVA.
    pub fn total(&self) -> Money {
        self.total.unwrap_or_else(|| {
            let discounted = self.subtotal().get().saturating_sub(self.descuento.unwrap_or_default().get());
            Money::new(discounted.saturating_add(self.iva.unwrap_or_default().get()))
        })
    }
}

impl PayableRecord {
    /// What is left to pay; left out, it is the total less what has been paid.
    pub fn saldo(&self) -> Decimal {
        self.saldo.map_or_else(
            || self.total.unwrap_or_default().get().saturating_sub(self.pagado.unwrap_or_default().get()),
            Balance::get,
        )
    }
}

impl Record for SupplierRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        if let Some(rfc) = &self.rfc {
            let upper = Rfc::parse(rfc).map_err(|fault| Fault::new(Code::RfcInvalido, "rfc", fault.to_string()))?;
            require(upper.as_str() == &**rfc, "rfc", "debe ir en mayúsculas")?;
        }
        Ok(())
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_suppliers(rows).await
    }
}

impl Record for PurchaseRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.cxp.is_none_or(|cxp| cxp > 0), "cxp", "debe ser un entero positivo")?;
        require_currency(self.moneda.as_deref())
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_purchases(rows, now).await
    }
}

impl Record for PurchaseLineRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.renglon > 0, "renglon", "debe ser un entero positivo")?;
        require(self.cantidad >= Quantity::default(), "cantidad", "no puede ser negativa")?;
        let received = self.cantidad_recibida.unwrap_or_default();
        require(received >= Quantity::default(), "cantidad_recibida", "no puede ser negativa")?;
        require(is_storable(self.subtotal().get()), "subtotal", "pasa de 18 enteros")?;
        require(self.total() >= Money::default(), "descuento", "es mayor que el subtotal con IVA")?;
        require(is_storable(self.total().get()), "total", "pasa de 18 enteros")
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_purchase_lines(rows).await
    }
}

impl Record for PayableRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.compra.is_none_or(|compra| compra > 0), "compra", "debe ser un entero positivo")?;
        let is_folio = |uuid: &str| uuid.len() == 36 && Uuid::try_parse(uuid).is_ok();
        require(self.uuid.as_deref().is_none_or(is_folio), "uuid", "debe ser un folio fiscal de 36 caracteres")?;
        require(self.operaciones.is_none_or(|count| count > 0), "operaciones", "debe ser un entero positivo")?;
        require(is_storable(self.saldo()), "saldo", "pasa de 18 enteros")?;
        require_currency(self.moneda.as_deref())
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_payables(rows, now).await
    }
}

/// Whether the database's columns of money hold it: at most 18 digits before the decimal point.
fn is_storable(amount: Decimal) -> bool {
    amount.abs() < Decimal::from(10_u64.pow(18))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    fn amounts(fields: &str) -> (String, String, Result<(), String>) {
        let json = Json::parse_object(format!("{{\"compra\":1,\"renglon\":1,{fields}}}").as_bytes()).unwrap();
        let line: PurchaseLineRecord = json.read().unwrap();
        let judged = line.check().map_err(|fault| fault.to_string());
        (line.subtotal().to_string(), line.total().to_string(), judged)
    }

    #[test]
    fn what_a_line_leaves_out_follows_from_the_rest() {
        for (fields, subtotal, total) in [
            (r#""cantidad":3"#, "0.00", "0.00"),
            (r#""cantidad":3,"costo_unitario":"10.00""#, "30.00", "30.00"),
            (r#""cantidad":1.5,"costo_unitario":0.33,"iva":"0.08""#, "0.50", "0.58"),
            (r#""cantidad":0.5,"costo_unitario":"0.01""#, "0.01", "0.01"),
            (r#""cantidad":0.49,"costo_unitario":"0.01""#, "0.00", "0.00"),
            (r#""cantidad":2,"costo_unitario":"50","descuento":"20","iva":"12.80""#, "100.00", "92.80"),
            (r#""cantidad":2,"costo_unitario":"50","descuento":"100""#, "100.00", "0.00"),
            (r#""cantidad":2,"costo_unitario":"50","subtotal":"90","iva":"1""#, "90.00", "91.00"),
            (r#""cantidad":2,"costo_unitario":"50","total":"7","descuento":"500""#, "100.00", "7.00"),
        ] {
            assert_eq!(amounts(fields), (subtotal.to_owned(), total.to_owned(), Ok(())), "{fields}");
        }
    }

    #[test]
    fn amounts_that_no_column_holds_are_refused() {
        for (fields, field) in [
            (r#""cantidad":123456789012345,"costo_unitario":"123456789012345678""#, "subtotal: "),
            (r#""cantidad":999999999999999.999999,"costo_unitario":"999999999999999999.999999""#, "subtotal: "),
            (r#""cantidad":10,"costo_unitario":"100000000000000000""#, "subtotal: "),
            (r#""cantidad":1,"costo_unitario":"999999999999999999","iva":"1""#, "total: "),
            (r#""cantidad":1,"costo_unitario":"1","descuento":"1.01""#, "descuento: "),
        ] {
            let refused = amounts(fields).2.unwrap_err();
            assert!(refused.starts_with(field), "{fields}: {refused}");
        }
    }
}
