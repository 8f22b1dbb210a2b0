//! Prices: `/precios`, a row per product and price list.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::scope::Scope;
use crate::domain::time::{Edge, Timestamp};
use crate::operation::filters::{exact, instant, integer};
use crate::operation::{Keyed, List, ListSpec, Pages};

/// A price of a product on a price list (contract §3).
#[derive(Debug, Clone, Serialize)]
pub struct Price {
    /// Key.
    pub clave: i64,
    /// The product.
    pub producto: i64,
    /// The product's SKU.
    pub sku: Option<String>,
    /// The price list.
    pub lista: i64,
    /// The price list's name.
    pub lista_nombre: Option<String>,
    /// Currency, ISO 4217.
    pub moneda: String,
    /// The price of one unit.
    pub precio: Money,
    /// Whether the price includes IVA.
    pub iva_incluido: bool,
    /// The least quantity it is given for.
    pub cantidad_minima: Quantity,
    /// The first day it holds.
    pub vigencia_desde: Option<NaiveDate>,
    /// The last day it holds.
    pub vigencia_hasta: Option<NaiveDate>,
    /// When it was changed last.
    pub modificado: Option<Timestamp>,
}

impl Keyed for Price {
    fn clave(&self) -> i64 {
        self.clave
    }
}

/// Lists prices.
pub struct Prices;

/// The filters of [`Prices`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum PriceFilter {
    Clave(i64),
    Producto(i64),
    Sku(String),
    Lista(i64),
    ModificadoDesde(DateTime<Utc>),
}

use PriceFilter as F;

impl List for Prices {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/precios",
        Scope::ProductosRead,
        Pages::Earlier,
        &[
            integer("clave", F::Clave),
            integer("producto", F::Producto),
            exact("sku", F::Sku),
            integer("lista", F::Lista),
            instant("modificado_desde", Edge::From, F::ModificadoDesde),
        ],
    )
    .summary("List prices");
    type Path = ();
    type Filter = F;
    type Item = Price;
}
