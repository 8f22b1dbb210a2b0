//! The one list of operations. The router, `Allow` headers and the table tests all read it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::erased::{list, open, write};
use super::{Handler, KeyedHandler, Method, Pages, Spec, filters};
use crate::api;

/// An operation of the registry.
pub struct Endpoint {
    /// What it says about itself.
    pub spec: &'static Spec,
    pub(crate) handler: Handler,
}

impl Endpoint {
    const fn of((spec, handler): (&'static Spec, Handler)) -> Self {
        Self { spec, handler }
    }

    /// A list's page regime; `None` for other operations.
    pub fn pages(&self) -> Option<Pages> {
        match self.handler {
            Handler::Keyed(KeyedHandler::List(list)) => Some(list.pages()),
            _ => None,
        }
    }

    /// A list's filters; empty for other operations.
    pub fn filters(&self) -> Vec<filters::Description> {
        match self.handler {
            Handler::Keyed(KeyedHandler::List(list)) => list.filters(),
            _ => Vec::new(),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("spec", self.spec).finish_non_exhaustive()
    }
}

/// Every operation of the API.
pub static OPERATIONS: &[Endpoint] = &[
    Endpoint::of(open::<api::health::Health>()),
    Endpoint::of(write::<api::leads::CreateLead>()),
    Endpoint::of(list::<api::clientes::Customers>()),
    Endpoint::of(write::<api::clientes::CreateCustomer>()),
    Endpoint::of(write::<api::clientes::EditCustomer>()),
    Endpoint::of(write::<api::clientes::LogInteraction>()),
    Endpoint::of(list::<api::productos::Products>()),
    Endpoint::of(write::<api::productos::CreateProduct>()),
    Endpoint::of(write::<api::productos::EditProduct>()),
    Endpoint::of(list::<api::precios::Prices>()),
    Endpoint::of(list::<api::marcas::Brands>()),
    Endpoint::of(list::<api::categorias::Categories>()),
    Endpoint::of(list::<api::unidades::Units>()),
    Endpoint::of(list::<api::oportunidades::Opportunities>()),
    Endpoint::of(list::<api::etapas_oportunidad::Stages>()),
    Endpoint::of(list::<api::motivos_perdida::LossReasons>()),
    Endpoint::of(list::<api::proveedores::Suppliers>()),
    Endpoint::of(list::<api::compras::Purchases>()),
    Endpoint::of(list::<api::compras_renglones::PurchaseLines>()),
    Endpoint::of(list::<api::cxp::Payables>()),
    Endpoint::of(list::<api::sucursales::Branches>()),
    Endpoint::of(list::<api::almacenes::Warehouses>()),
    Endpoint::of(list::<api::inventario::Stocks>()),
    Endpoint::of(list::<api::movimientos_inventario::Movements>()),
    Endpoint::of(list::<api::vendedores::Salespeople>()),
    Endpoint::of(list::<api::cuentas_bancarias::BankAccounts>()),
    Endpoint::of(list::<api::ventas::Sales>()),
    Endpoint::of(write::<api::ventas::CreateSale>()),
    Endpoint::of(write::<api::ventas::InvoiceSale>()),
    Endpoint::of(list::<api::ventas_renglones::SaleLines>()),
    Endpoint::of(list::<api::facturas::Invoices>()),
    Endpoint::of(list::<api::cxc::Receivables>()),
    Endpoint::of(write::<api::cxc::ApplyPayment>()),
    Endpoint::of(list::<api::cxc_pagos::Payments>()),
    Endpoint::of(list::<api::webhooks::Webhooks>()),
    Endpoint::of(write::<api::webhooks::CreateWebhook>()),
    Endpoint::of(write::<api::webhooks::EditWebhook>()),
    Endpoint::of(write::<api::webhooks::DeleteWebhook>()),
    Endpoint::of(write::<api::webhooks::RotateSecret>()),
    Endpoint::of(write::<api::webhooks::TryWebhook>()),
    Endpoint::of(list::<api::webhooks::Deliveries>()),
    Endpoint::of(write::<api::webhooks::Resend>()),
];

/// Why a registry makes no router.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RouteError {
    /// Two operations have the same method and path.
    #[error("two operations answer {0} {1}: \"{2}\" and \"{3}\"")]
    Duplicate(&'static str, &'static str, &'static str, &'static str),
    /// A path is malformed, or cannot be told from another.
    #[error("the path {0} makes no route: {1}")]
    Path(&'static str, String),
}

/// The operations that share a path.
pub(crate) struct Route {
    endpoints: BTreeMap<Method, Named>,
    /// The value of the `Allow` header.
    pub(crate) allow: String,
}

/// An operation with its name, `PUT /clientes/{clave}`.
pub(crate) struct Named {
    pub(crate) endpoint: &'static Endpoint,
    pub(crate) name: Arc<str>,
}

impl From<&'static Endpoint> for Named {
    fn from(endpoint: &'static Endpoint) -> Self {
        let Spec { method, path, .. } = endpoint.spec;
        Self { endpoint, name: format!("{} {path}", method.name()).into() }
    }
}

impl Route {
    pub(crate) fn operation(&self, method: Method) -> Option<&Named> {
        self.endpoints.get(&method)
    }
}

/// Finds a path's operations.
pub(crate) struct Router(matchit::Router<Route>);

impl Router {
    /// The router of a registry; two operations on one method and path are refused, naming both.
    pub(crate) fn new(operations: &'static [Endpoint]) -> Result<Self, RouteError> {
        let mut paths: BTreeMap<&'static str, BTreeMap<Method, &'static Endpoint>> = BTreeMap::new();
        for endpoint in operations {
            let Spec { method, path, summary, .. } = *endpoint.spec;
            if let Some(other) = paths.entry(path).or_default().insert(method, endpoint) {
                return Err(RouteError::Duplicate(method.name(), path, other.spec.summary, summary));
            }
        }
        let mut router = matchit::Router::new();
        for (path, endpoints) in paths {
            let allow = endpoints.keys().map(|method| method.name()).collect::<Vec<_>>().join(", ");
            let endpoints = endpoints.into_iter().map(|(method, endpoint)| (method, endpoint.into())).collect();
            router
                .insert(path, Route { endpoints, allow })
                .map_err(|error| RouteError::Path(path, error.to_string()))?;
        }
        Ok(Self(router))
    }

    /// The route of a path, and the raw values of its parameters.
    pub(crate) fn find<'p>(&self, path: &'p str) -> Option<(&Route, Vec<&'p str>)> {
        let found = self.0.at(path).ok()?;
        Some((found.value, found.params.iter().map(|(_, value)| value).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_makes_a_router() {
        let router = Router::new(OPERATIONS).unwrap();
        let (route, parameters) = router.find("/clientes/12").unwrap();
        assert_eq!((route.allow.as_str(), parameters), ("PUT", vec!["12"]));
        assert_eq!(router.find("/clientes").unwrap().0.allow, "GET, POST");
        for path in ["/", "", "/clientes/", "/clientes/1/2", "/Clientes", "//clientes"] {
            assert!(router.find(path).is_none(), "{path}");
        }
    }

    #[test]
    fn every_operation_is_summarised_and_needs_a_scope() {
        for Endpoint { spec, .. } in OPERATIONS {
            assert!(!spec.summary.is_empty(), "{}", spec.path);
            assert!(!spec.scopes.is_empty() || spec.path == "/health", "{}", spec.path);
        }
    }

    #[test]
    fn duplicates_are_refused_naming_both() {
        static TWICE: [Endpoint; 2] =
            [Endpoint::of(list::<api::clientes::Customers>()), Endpoint::of(list::<api::clientes::Customers>())];
        let error = Router::new(&TWICE).err().unwrap();
        assert_eq!(error.to_string(), "two operations answer GET /clientes: \"List customers\" and \"List customers\"");
    }
}
