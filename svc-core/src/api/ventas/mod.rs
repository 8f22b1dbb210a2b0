//! Sales documents: `/ventas`.

mod create;
mod invoice;
mod list;

use chrono::NaiveDate;
use serde::Serialize;

pub use create::{CreateSale, SaleCreated};
pub use invoice::{InvoiceBody, InvoiceRequested, InvoiceSale};
pub use list::{SaleFilter, Sales};

use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::time::Timestamp;
use crate::operation::Keyed;
pub use crate::posting::sale::{LineBody, MOST_LINES, SaleBody};

/// A sales document (contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct Sale {
    /// Key.
    pub clave: i64,
    /// `venta`, `factura`, `cotizacion`, `pedido` or `anticipo`.
    pub tipo: String,
    /// Series of the folio.
    pub serie: Option<String>,
    /// Number within its type and series.
    pub folio: Option<i64>,
    /// When it was made.
    pub fecha: Timestamp,
    /// Branch; 0 is the head office.
    pub sucursal: i64,
    /// Code of the warehouse, 3 characters.
    pub almacen: Option<String>,
    /// The customer.
    pub cliente: Option<i64>,
    /// The salesperson.
    pub vendedor: Option<i64>,
    /// Currency, ISO 4217.
    pub moneda: String,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// `contado` or `credito`.
    pub condicion_pago: Option<String>,
    /// Days of credit.
    pub dias_credito: Option<i64>,
    /// When it is due.
    pub vencimiento: Option<NaiveDate>,
    /// The SAT's payment form.
    pub forma_pago_sat: Option<String>,
    /// `PUE` or `PPD`.
    pub metodo_pago_sat: Option<String>,
    /// The CFDI use.
    pub uso_cfdi: Option<String>,
    /// Before discount and taxes.
    pub subtotal: Money,
    /// Discount.
    pub descuento: Money,
    /// Taxes charged.
    pub impuestos: Money,
    /// Taxes withheld.
    pub retenciones: Money,
    /// What is to be paid.
    pub total: Money,
    /// What remains to be paid.
    pub saldo: Money,
    /// Whether it was cancelled.
    pub cancelada: bool,
    /// When it was cancelled.
    pub fecha_cancelacion: Option<Timestamp>,
    /// `pendiente`, `parcial` or `surtido`; null unless it is an order.
    pub surtido_estatus: Option<String>,
    /// Worth of what was fulfilled; null unless it is an order.
    pub monto_surtido: Option<Money>,
    /// The invoice it became.
    pub factura: Option<i64>,
    /// Fiscal folio of that invoice.
    pub uuid: Option<String>,
    /// `api`, `aplicacion`, `plataforma` or `desconocido`.
    pub origen: String,
    /// Reference.
    pub referencia: Option<String>,
    /// Comments.
    pub comentarios: Option<String>,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Sale {
    fn clave(&self) -> i64 {
        self.clave
    }
}
