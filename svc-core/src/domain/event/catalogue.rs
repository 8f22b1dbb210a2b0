//! The events that there are, each stated once (spec, "Event catalogue").

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::domain::money::Money;
use crate::domain::scope::Scope;
use crate::domain::words::{OpportunityStatus, SaleKind, words};

/// States events: name, word on the wire, the scope that subscribing needs, the resource (its path
/// without the slash) and the data of the notice; the first is the resource's clave.
/// `grouped`: the changes of one resource within a minute become one event.
macro_rules! events {
    (@is grouped) => { true };
    (@is) => { false };
    ($(
        $(#[doc = $meaning:literal])*
        $name:ident = $word:literal, scope $scope:expr, of $resource:literal $(, $grouped:ident)? {
            $(#[$clave_meta:meta])* $clave:ident: i64,
            $($(#[$field_meta:meta])* $field:ident: $type:ty,)*
        }
    )*) => {
        words! {
            /// The types of events (spec, "Event catalogue").
            pub enum EventKind { $($(#[doc = $meaning])* $name = $word,)* }
        }

        impl EventKind {
            /// The scope that a subscription needs: the one that reads the resource. Without one it
            /// cannot be subscribed to.
            pub(crate) const fn scope(self) -> Option<Scope> {
                match self { $(Self::$name => $scope,)* }
            }

            /// The path, without the slash, of the resource that it is about.
            pub(crate) const fn resource(self) -> &'static str {
                match self { $(Self::$name => $resource,)* }
            }

            /// Whether the changes of one resource within a minute become one event.
            pub(crate) const fn is_grouped(self) -> bool {
                match self { $(Self::$name => events!(@is $($grouped)?),)* }
            }
        }

        /// An event of a resource of a company. It carries keys and little else: never names or
        /// e-mails.
        #[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
        pub enum Event {
            $($(#[doc = $meaning])* #[schemars(rename = $word)] $name {
                $(#[$clave_meta])* $clave: i64,
                $($(#[$field_meta])* $field: $type,)*
            },)*
        }

        impl Event {
            /// The kind, whose word is `tipo` on the wire.
            pub fn kind(&self) -> EventKind {
                match self { $(Self::$name { .. } => EventKind::$name,)* }
            }

            /// The resource it is about: its path without the slash, and the record's clave.
            pub fn recurso(&self) -> (&'static str, i64) {
                match self { $(Self::$name { $clave, .. } => ($resource, *$clave),)* }
            }

            pub(super) fn datos(&self) -> Value {
                match self {
                    $(Self::$name { $clave, $($field,)* } => json!({
                        (stringify!($clave)): $clave, $((stringify!($field)): $field,)*
                    }),)*
                }
            }
        }
    };
}

events! {
    /// A sales document was created, from any channel. Converting one into another emits nothing.
    VentaCreada = "venta.creada", scope Some(Scope::VentasRead), of "ventas" {
        /// The document's clave.
        venta: i64,
        /// What it is; never `remision`.
        tipo: SaleKind,
    }
    /// The tax authority stamped an income invoice.
    FacturaTimbrada = "factura.timbrada", scope Some(Scope::FacturasRead), of "facturas" {
        /// The registry record's clave.
        factura: i64,
        /// The invoiced sale; null for a global invoice, which has many.
        venta: Option<i64>,
        /// The fiscal folio.
        uuid: String,
    }
    /// The cancellation of an invoice became final.
    FacturaCancelada = "factura.cancelada", scope Some(Scope::FacturasRead), of "facturas" {
        /// The registry record's clave.
        factura: i64,
        /// The invoiced sale; null for a global invoice, which has many.
        venta: Option<i64>,
        /// The fiscal folio.
        uuid: String,
    }
    /// The stamping of a document ended in an error.
    FacturaRechazada = "factura.rechazada", scope Some(Scope::FacturasRead), of "facturas" {
        /// The registry record's clave.
        factura: i64,
        /// The sale that it is about; null for a global invoice, which has many, and for a
        /// payment's.
        venta: Option<i64>,
        /// The authority's or provider's code, or one of the service's own.
        codigo: String,
    }
    /// A payment was applied to a receivable.
    PagoAplicado = "cxc.pago_aplicado", scope Some(Scope::CxcRead), of "cxc-pagos" {
        /// The payment's clave.
        pago: i64,
        /// The receivable.
        cxc: i64,
        /// What was applied.
        importe: Money,
    }
    /// A customer was created, from any channel; CRM prospects do not emit it.
    ClienteCreado = "cliente.creado", scope Some(Scope::ClientesRead), of "clientes" {
        /// The customer's clave.
        cliente: i64,
    }
    /// A customer's data were edited.
    ClienteActualizado = "cliente.actualizado", scope Some(Scope::ClientesRead), of "clientes", grouped {
        /// The customer's clave.
        cliente: i64,
    }
    /// A product was created.
    ProductoCreado = "producto.creado", scope Some(Scope::ProductosRead), of "productos" {
        /// The product's clave.
        producto: i64,
        /// Its SKU.
        sku: Option<String>,
    }
    /// A product's data were edited; prices and stock have their own queries.
    ProductoActualizado = "producto.actualizado", scope Some(Scope::ProductosRead), of "productos", grouped {
        /// The product's clave.
        producto: i64,
        /// Its SKU.
        sku: Option<String>,
    }
    /// Stock or reserved quantity of a product in a warehouse changed.
    ExistenciaCambiada = "inventario.existencia_cambiada", scope Some(Scope::InventarioRead), of "inventario", grouped {
        /// The stock record's clave.
        existencia: i64,
        /// The product.
        producto: i64,
        /// The warehouse's code.
        almacen: String,
    }
    /// An opportunity was created.
    OportunidadCreada = "oportunidad.creada", scope Some(Scope::OportunidadesRead), of "oportunidades" {
        /// Its clave.
        oportunidad: i64,
        /// Its stage.
        etapa: i64,
    }
    /// An opportunity moved to another stage.
    EtapaCambiada = "oportunidad.etapa_cambiada", scope Some(Scope::OportunidadesRead), of "oportunidades" {
        /// Its clave.
        oportunidad: i64,
        /// The stage it was in.
        etapa_anterior: i64,
        /// The stage it is in.
        etapa: i64,
        /// Its status.
        estatus: OpportunityStatus,
    }
    /// A webhook was tested; only that webhook receives it.
    WebhookPrueba = "webhook.prueba", scope None, of "webhooks" {
        /// The webhook's clave.
        webhook: i64,
    }
}

impl EventKind {
    /// The JSON Schema of its notice's `datos`.
    pub(crate) fn datos_schema(self, generator: &mut SchemaGenerator) -> Schema {
        // The derived schema has an alternative for each event: an object with one member, named as
        // the event.
        let mut all = Event::json_schema(generator);
        let alternatives = all.get_mut("oneOf").and_then(Value::as_array_mut);
        let member = |alternative: &mut Value| alternative["properties"].get_mut(self.word()).map(Value::take);
        let datos = alternatives.and_then(|all| all.iter_mut().find_map(member)).unwrap_or_default();
        Schema::try_from(datos).unwrap_or_default()
    }

    /// The words of all that a webhook can subscribe to: all but the last, the test of a webhook.
    pub const SUBSCRIBABLE: &'static [&'static str] = match Self::WORDS {
        [subscribable @ .., _] => subscribable,
        [] => &[],
    };

    /// All that a webhook can subscribe to.
    pub(crate) fn subscribable() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kind| kind.is_subscribable())
    }

    /// Whether a webhook can subscribe to it.
    pub const fn is_subscribable(self) -> bool {
        self.scope().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_can_be_subscribed_to_but_the_test() {
        let kinds: Vec<_> = EventKind::WORDS.iter().filter_map(|word| EventKind::of(word)).collect();
        assert_eq!(kinds.len(), 13);
        let not: Vec<_> = kinds.iter().filter(|kind| !kind.is_subscribable()).map(|kind| kind.word()).collect();
        assert_eq!(not, ["webhook.prueba"]);
        assert!(EventKind::subscribable().map(EventKind::word).eq(EventKind::SUBSCRIBABLE.iter().copied()));
        let grouped: Vec<_> = kinds.iter().filter(|kind| kind.is_grouped()).map(|kind| kind.word()).collect();
        assert_eq!(grouped, ["cliente.actualizado", "producto.actualizado", "inventario.existencia_cambiada"]);
    }
}
