use chrono::{DateTime, Utc};

use super::Sale;
use crate::domain::scope::Scope;
use crate::domain::time::Edge;
use crate::domain::words::SaleKind;
use crate::error::Error;
use crate::operation::filters::{boolean, choice, exact, instant, integer};
use crate::operation::{List, ListSpec, Pages, Query, window};

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
    type Path = ();
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
