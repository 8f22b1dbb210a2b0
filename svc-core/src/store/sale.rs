//! Sales documents and their lines.

use async_trait::async_trait;
use chrono::NaiveDate;

use super::StoreError;
use crate::domain::line::VatRate;
use crate::domain::money::Money;
use crate::domain::order::OrderLine;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sale::{Amounts, SaleProduct};
use crate::domain::time::Timestamp;
use crate::domain::words::{Fulfilment, PaymentTerm, SaleKind, SaleOrigin};

/// A sales document to be stored.
#[derive(Debug)]
pub struct NewSale<'a> {
    /// What it is; never [`SaleKind::Remision`].
    pub tipo: SaleKind,
    /// Series of its folio.
    pub serie: Option<&'a str>,
    /// Number in the series.
    pub folio: i64,
    /// When it is made.
    pub fecha: Timestamp,
    /// Branch.
    pub sucursal: i64,
    /// Warehouse.
    pub almacen: i64,
    /// Customer.
    pub cliente: i64,
    /// Salesperson.
    pub vendedor: Option<i64>,
    /// Currency.
    pub moneda: &'a str,
    /// Pesos for one unit of the currency.
    pub tipo_cambio: Rate,
    /// When it is paid.
    pub condicion_pago: PaymentTerm,
    /// Days of credit.
    pub dias_credito: Option<i64>,
    /// When it is due.
    pub vencimiento: Option<NaiveDate>,
    /// The SAT's payment form.
    pub forma_pago_sat: Option<&'a str>,
    /// PUE or PPD.
    pub metodo_pago_sat: Option<&'a str>,
    /// CFDI use.
    pub uso_cfdi: Option<&'a str>,
    /// What it comes to; all of it is still to be paid.
    pub amounts: Amounts,
    /// Who made it.
    pub origen: SaleOrigin,
    /// Reference.
    pub referencia: Option<&'a str>,
    /// Comments.
    pub comentarios: Option<&'a str>,
    /// Its lines, in their order.
    pub lines: &'a [NewSaleLine],
}

impl NewSale<'_> {
    /// How far it is fulfilled; only an order is followed.
    pub fn fulfilment(&self) -> Option<Fulfilment> {
        (self.tipo == SaleKind::Pedido).then_some(Fulfilment::Pendiente)
    }

    /// How much of one of its lines is handed over: of an order nothing yet, of a quote nothing ever, else all of it.
    pub fn handed_over(&self, line: &NewSaleLine) -> Quantity {
        match self.tipo {
            SaleKind::Pedido | SaleKind::Cotizacion => Quantity::default(),
            _ => line.cantidad,
        }
    }
}

/// A line of a sales document to be stored.
#[derive(Debug, Clone)]
pub struct NewSaleLine {
    /// The product as it is sold.
    pub product: SaleProduct,
    /// What the line says of it.
    pub descripcion: Option<String>,
    /// How many.
    pub cantidad: Quantity,
    /// Price of one, before IVA.
    pub precio_unitario: Money,
    /// The rate of its IVA.
    pub rate: Option<VatRate>,
    /// What it comes to.
    pub amounts: Amounts,
}

/// Sales documents and their lines inside a transaction.
#[async_trait]
pub trait SaleTx {
    /// The next folio of documents of a type and series: without gaps, since the series is this transaction's until its end.
    async fn next_folio(&mut self, tipo: &'static str, serie: &str) -> Result<i64, StoreError>;

    /// Writes a document with its lines and gives its clave.
    async fn insert_sale(&mut self, sale: &NewSale<'_>) -> Result<i64, StoreError>;

    /// The lines of an order.
    async fn order_lines(&mut self, clave: i64) -> Result<Vec<OrderLine>, StoreError>;

    /// Writes how much of each line, and of the whole, was handed over.
    async fn set_fulfilment(
        &mut self,
        clave: i64,
        lines: &[OrderLine],
        fulfilment: Fulfilment,
        monto_surtido: Money,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Writes that a document is cancelled: nothing of it is owed any more.
    async fn set_sale_cancelled(&mut self, clave: i64, now: Timestamp) -> Result<(), StoreError>;

    /// Writes the registry's record of a sale that the application invoiced.
    async fn set_sale_invoice(&mut self, clave: i64, factura: i64) -> Result<(), StoreError>;
}
