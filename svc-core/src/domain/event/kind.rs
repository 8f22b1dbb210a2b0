use crate::domain::scope::Scope;
use crate::domain::words::words;

words! {
    /// The types of events (spec, "Event catalogue").
    pub enum EventKind {
        /// A sales document was created, from any channel.
        VentaCreada = "venta.creada",
        /// The tax authority stamped an income invoice.
        FacturaTimbrada = "factura.timbrada",
        /// The cancellation of an invoice became final.
        FacturaCancelada = "factura.cancelada",
        /// A payment was applied to a receivable.
        PagoAplicado = "cxc.pago_aplicado",
        /// A customer was created.
        ClienteCreado = "cliente.creado",
        /// A customer's data were edited.
        ClienteActualizado = "cliente.actualizado",
        /// A product was created.
        ProductoCreado = "producto.creado",
        /// A product's data were edited.
        ProductoActualizado = "producto.actualizado",
        /// Stock or reserved quantity of a product in a warehouse changed.
        ExistenciaCambiada = "inventario.existencia_cambiada",
        /// An opportunity was created.
        OportunidadCreada = "oportunidad.creada",
        /// An opportunity moved to another stage.
        EtapaCambiada = "oportunidad.etapa_cambiada",
        /// A webhook was tested.
        WebhookPrueba = "webhook.prueba",
    }
}

impl EventKind {
    /// The scope that a subscription needs: the one that reads the resource. Without one it cannot be subscribed to.
    pub(crate) const fn scope(self) -> Option<Scope> {
        Some(match self {
            Self::VentaCreada => Scope::VentasRead,
            Self::FacturaTimbrada | Self::FacturaCancelada => Scope::FacturasRead,
            Self::PagoAplicado => Scope::CxcRead,
            Self::ClienteCreado | Self::ClienteActualizado => Scope::ClientesRead,
            Self::ProductoCreado | Self::ProductoActualizado => Scope::ProductosRead,
            Self::ExistenciaCambiada => Scope::InventarioRead,
            Self::OportunidadCreada | Self::EtapaCambiada => Scope::OportunidadesRead,
            Self::WebhookPrueba => return None,
        })
    }

    /// Whether a webhook can subscribe to it.
    pub const fn is_subscribable(self) -> bool {
        self.scope().is_some()
    }

    /// Whether the changes of one resource within a minute become one event.
    pub(crate) const fn is_grouped(self) -> bool {
        matches!(self, Self::ClienteActualizado | Self::ProductoActualizado | Self::ExistenciaCambiada)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_can_be_subscribed_to_but_the_test() {
        let kinds: Vec<_> = EventKind::WORDS.iter().filter_map(|word| EventKind::of(word)).collect();
        assert_eq!(kinds.len(), 12);
        let not: Vec<_> = kinds.iter().filter(|kind| !kind.is_subscribable()).map(|kind| kind.word()).collect();
        assert_eq!(not, ["webhook.prueba"]);
        let grouped: Vec<_> = kinds.iter().filter(|kind| kind.is_grouped()).map(|kind| kind.word()).collect();
        assert_eq!(grouped, ["cliente.actualizado", "producto.actualizado", "inventario.existencia_cambiada"]);
    }
}
