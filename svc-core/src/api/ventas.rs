//! Sales documents: `/ventas`.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::scope::Scope;
use crate::domain::time::{Edge, Timestamp};
use crate::domain::words::SaleKind;
use crate::error::Error;
use crate::operation::filters::{boolean, choice, exact, instant, integer};
use crate::operation::{Keyed, List, ListSpec, Pages, Query, window};

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

/// Lists sales documents of one type; cancelled ones only when asked for.
pub struct Sales;

/// The filters of [`Sales`] (spec, "GET /ventas").
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum SaleFilter {
    Clave(i64),
    Tipo(&'static str),
    Folio(i64),
    Cliente(i64),
    Cancelada(bool),
    FechaDesde(DateTime<Utc>),
    FechaHasta(DateTime<Utc>),
    Sucursal(i64),
    Sku(String),
}

use SaleFilter as F;

impl List for Sales {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/ventas",
        Scope::VentasRead,
        Pages::Earlier,
        &[
            integer("clave", F::Clave),
            choice("tipo", SaleKind::WORDS, F::Tipo),
            integer("folio", F::Folio),
            integer("cliente", F::Cliente),
            boolean("cancelada", F::Cancelada),
            instant("fecha_desde", Edge::From, F::FechaDesde),
            instant("fecha_hasta", Edge::Until, F::FechaHasta),
            integer("sucursal", F::Sucursal),
            exact("sku", F::Sku),
        ],
    )
    .summary("List sales documents");
    type Filter = F;
    type Item = Sale;

    /// One type, sales unless another is asked for; valid documents unless asked otherwise; 92 days at the most.
    fn settle(query: &mut Query<F>) -> Result<(), Error> {
        let (mut typed, mut judged, mut from, mut until) = (false, false, None, None);
        for filter in &mut query.filters {
            match filter {
                F::Tipo(tipo) => {
                    typed = true;
                    if *tipo == SaleKind::Remision.word() {
                        *tipo = SaleKind::Venta.word();
                    }
                }
                F::Cancelada(_) => judged = true,
                F::FechaDesde(at) => from = Some(*at),
                F::FechaHasta(at) => until = Some(*at),
                F::Clave(_) | F::Folio(_) | F::Cliente(_) | F::Sucursal(_) | F::Sku(_) => {}
            }
        }
        let end = window::close(from, until, query.now)?;
        query.filters.extend(end.filter(|_| until.is_none()).map(F::FechaHasta));
        query.filters.extend((!typed).then_some(F::Tipo(SaleKind::Venta.word())));
        query.filters.extend((!judged).then_some(F::Cancelada(false)));
        Ok(())
    }
}
