//! Sales documents, their lines, and the registry of invoices.

use rust_decimal::Decimal;
use serde::Deserialize;

use super::{Record, require, require_clave, require_currency, require_uuid};
use crate::domain::line::{self, VatRate};
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sat;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::{Fulfilment, InvoiceKind, InvoiceStatus, PaymentTerm, SaleKind, SaleOrigin};
use crate::error::Code;
use crate::json::{Digits, Fault, Text};
use crate::store::{StoreError, Tx};

/// A sales document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct SaleRecord {
    pub clave: Option<i64>,
    pub tipo: SaleKind,
    pub serie: Option<Text<25>>,
    pub folio: Option<i64>,
    pub fecha: Option<Timestamp>,
    pub sucursal: Option<i64>,
    pub almacen: Option<Text<3>>,
    pub cliente: Option<i64>,
    pub vendedor: Option<i64>,
    pub moneda: Option<Text<3>>,
    pub tipo_cambio: Option<Rate>,
    pub condicion_pago: Option<PaymentTerm>,
    pub dias_credito: Option<i64>,
    pub vencimiento: Option<Date>,
    pub forma_pago_sat: Option<Digits<2>>,
    pub metodo_pago_sat: Option<Text<3>>,
    pub uso_cfdi: Option<Text<4>>,
    pub subtotal: Option<Money>,
    pub descuento: Option<Money>,
    pub impuestos: Option<Money>,
    pub retenciones: Option<Money>,
    pub total: Option<Money>,
    pub saldo: Option<Money>,
    pub cancelada: Option<bool>,
    pub fecha_cancelacion: Option<Timestamp>,
    pub surtido_estatus: Option<Fulfilment>,
    pub monto_surtido: Option<Money>,
    pub factura: Option<i64>,
    pub uuid: Option<Text<36>>,
    pub origen: Option<SaleOrigin>,
    pub referencia: Option<Text<100>>,
    pub comentarios: Option<Text<500>>,
    pub modificado: Option<Timestamp>,
    /// Whether it has a breakdown of taxes.
    pub desglose: Option<bool>,
}

/// A line of a sales document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct SaleLineRecord {
    pub clave: Option<i64>,
    pub venta: i64,
    pub renglon: Option<i64>,
    /// By clave or, when it has none, by `sku`.
    pub producto: Option<i64>,
    /// One that no product has is kept as it is.
    pub sku: Option<Text<100>>,
    pub descripcion: Option<Text<500>>,
    pub cantidad: Quantity,
    pub cantidad_surtida: Option<Quantity>,
    pub unidad: Option<Text<100>>,
    pub unidad_sat: Option<Text<3>>,
    pub codigo_sat: Option<Digits<8>>,
    pub objeto_impuesto: Option<Digits<2>>,
    pub precio_unitario: Option<Money>,
    pub descuento: Option<Money>,
    pub subtotal: Option<Money>,
    pub iva_tasa: Option<VatRate>,
    pub iva: Option<Money>,
    pub total: Option<Money>,
}

/// A record of the stamping registry.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct InvoiceRecord {
    pub clave: Option<i64>,
    pub tipo: Option<InvoiceKind>,
    pub estatus: Option<InvoiceStatus>,
    pub venta: Option<i64>,
    pub cliente: Option<i64>,
    pub serie: Option<Text<25>>,
    pub folio: Option<Text<40>>,
    pub uuid: Option<Text<36>>,
    pub fecha: Option<Timestamp>,
    pub fecha_timbrado: Option<Timestamp>,
    pub fecha_cancelacion: Option<Timestamp>,
    pub motivo_cancelacion: Option<Digits<2>>,
    pub uuid_sustitucion: Option<Text<36>>,
    pub error_codigo: Option<Text<50>>,
    pub error_mensaje: Option<Text<1000>>,
    pub modificado: Option<Timestamp>,
}

/// What a line comes to.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the fields of the list item, by their names")]
pub struct LineAmounts {
    pub subtotal: Money,
    pub iva: Money,
    pub total: Money,
}

/// A fault of what was reckoned from other fields.
fn beyond(field: &'static str, text: &'static str) -> Fault {
    Fault::new(Code::DatoInvalido, field, text)
}

/// Keys of the SAT's catalogues that documents of several kinds bear.
pub(super) fn require_payment_keys(form: Option<&str>, method: Option<&str>) -> Result<(), Fault> {
    const TEXT: &str = "no está en el catálogo del SAT";
    require(form.is_none_or(sat::payment_form_exists), "forma_pago_sat", TEXT)?;
    require(method.is_none_or(sat::payment_method_exists), "metodo_pago_sat", TEXT)
}

impl SaleRecord {
    /// The total, reckoned when it is left out.
    pub fn total(&self) -> Result<Money, Fault> {
        if let Some(total) = self.total {
            return Ok(total);
        }
        let part = |amount: Option<Money>| amount.map_or(Decimal::ZERO, Money::get);
        let total = part(self.subtotal) - part(self.descuento) + part(self.impuestos) - part(self.retenciones);
        line::amount(total)
            .ok_or_else(|| beyond("total", "subtotal − descuento + impuestos − retenciones no es un importe"))
    }
}

impl SaleLineRecord {
    /// Its amounts; each is reckoned when it is left out.
    pub fn amounts(&self) -> Result<LineAmounts, Fault> {
        let price = self.precio_unitario.unwrap_or_default();
        let discount = self.descuento.unwrap_or_default().get();
        let subtotal = match self.subtotal {
            Some(subtotal) => subtotal,
            None => line::subtotal(self.cantidad, price)
                .ok_or_else(|| beyond("subtotal", "cantidad × precio_unitario tiene demasiados dígitos"))?,
        };
        let base = subtotal.get() - discount;
        let above = || beyond("descuento", "es mayor que el subtotal");
        let iva = match self.iva {
            Some(iva) => iva,
            None => line::vat(base, self.iva_tasa).ok_or_else(above)?,
        };
        let total = match self.total {
            Some(total) => total,
            None => line::amount(base + iva.get()).ok_or_else(above)?,
        };
        Ok(LineAmounts { subtotal, iva, total })
    }
}

impl Record for SaleRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_currency(self.moneda.as_deref())?;
        require(self.dias_credito.is_none_or(|days| (0..=365).contains(&days)), "dias_credito", "debe ser de 0 a 365")?;
        require_payment_keys(self.forma_pago_sat.as_deref(), self.metodo_pago_sat.as_deref())?;
        require(
            self.uso_cfdi.as_deref().is_none_or(|uso| sat::cfdi_use(uso).is_some()),
            "uso_cfdi",
            "no está en el catálogo del SAT",
        )?;
        let order = matches!(self.tipo, SaleKind::Pedido);
        require(order || self.surtido_estatus.is_none(), "surtido_estatus", "es solo de pedidos")?;
        require(order || self.monto_surtido.is_none(), "monto_surtido", "es solo de pedidos")?;
        require_uuid(self.uuid.as_deref(), "uuid")?;
        self.total().map(|_| ())
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_sales(rows, now).await
    }
}

impl Record for SaleLineRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.renglon.is_none_or(|renglon| renglon > 0), "renglon", "debe ser un entero positivo")?;
        let whole = |quantity: Quantity| quantity.get() >= Decimal::ZERO;
        require(whole(self.cantidad), "cantidad", "no puede ser negativa")?;
        require(self.cantidad_surtida.is_none_or(whole), "cantidad_surtida", "no puede ser negativa")?;
        require(
            self.unidad_sat.as_deref().is_none_or(sat::unit_exists),
            "unidad_sat",
            "no está en el catálogo del SAT",
        )?;
        require(
            self.codigo_sat.as_deref().is_none_or(sat::product_service_exists),
            "codigo_sat",
            "no está en el catálogo del SAT",
        )?;
        let tax_object = self.objeto_impuesto.as_deref().is_none_or(sat::tax_object_exists);
        require(tax_object, "objeto_impuesto", "no está en el catálogo del SAT")?;
        self.amounts().map(|_| ())
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], _: Timestamp) -> Result<(), StoreError> {
        tx.import_sale_lines(rows).await
    }
}

impl Record for InvoiceRecord {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_uuid(self.uuid.as_deref(), "uuid")?;
        require_uuid(self.uuid_sustitucion.as_deref(), "uuid_sustitucion")?;
        let reason = self.motivo_cancelacion.as_deref().is_none_or(|key| matches!(key, "01" | "02" | "03" | "04"));
        require(reason, "motivo_cancelacion", "debe ser 01, 02, 03 o 04")
    }

    async fn insert(tx: &mut dyn Tx, rows: &[Self], now: Timestamp) -> Result<(), StoreError> {
        tx.import_invoices(rows, now).await
    }
}
