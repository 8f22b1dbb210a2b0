//! Scopes: the permissions of API keys (spec, "Authentication" 6).

use std::fmt;

use super::words::words;

words! {
    /// A permission of an API key, named on the wire `area:action`. In the specification's order.
    #[derive(PartialOrd, Ord)]
    pub enum Scope {
        /// Create CRM prospect records; cannot read customers or touch existing ones.
        LeadsWrite = "leads:write",
        /// Read customers.
        ClientesRead = "clientes:read",
        /// Create and edit customers.
        ClientesWrite = "clientes:write",
        /// Read the catalogue, brands, categories, units and price lists.
        ProductosRead = "productos:read",
        /// Create and edit products.
        ProductosWrite = "productos:write",
        /// Read stock, warehouses and branches.
        InventarioRead = "inventario:read",
        /// Read the movement ledger of a product or document; includes costs.
        KardexRead = "kardex:read",
        /// Read suppliers.
        ProveedoresRead = "proveedores:read",
        /// Read sales documents and their lines.
        VentasRead = "ventas:read",
        /// Create quotes and orders (contract §4, added to the specification's list).
        VentasWrite = "ventas:write",
        /// Read the stamped-invoice registry.
        FacturasRead = "facturas:read",
        /// Invoice orders and quotes.
        FacturasWrite = "facturas:write",
        /// Read purchase orders and lines, with costs.
        ComprasRead = "compras:read",
        /// Read receivables, balances, due dates and applied payments.
        CxcRead = "cxc:read",
        /// Apply payments to receivables.
        CxcWrite = "cxc:write",
        /// Read payables.
        CxpRead = "cxp:read",
        /// Read opportunities.
        OportunidadesRead = "oportunidades:read",
        /// Log customer contacts.
        ActividadesWrite = "actividades:write",
        /// Manage webhooks.
        WebhooksWrite = "webhooks:write",
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A set of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes(u32);

impl Scopes {
    /// Every scope there is.
    pub fn all() -> Self {
        Scope::ALL.iter().copied().collect()
    }

    /// No scope.
    pub(crate) const NONE: Self = Self(0);

    /// The set of `scope` alone.
    pub(crate) const fn only(scope: Scope) -> Self {
        Self(1 << scope as u32)
    }

    /// The set with `scope` added.
    #[must_use]
    pub(crate) const fn and(self, scope: Scope) -> Self {
        Self(self.0 | 1 << scope as u32)
    }

    /// Whether the set has no scope.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether both sets have a scope in common.
    pub(crate) const fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether `scope` is in the set.
    pub const fn has(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u32) != 0
    }

    /// The scopes of the set, in the specification's order.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.has(*scope))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, scope) in self.iter().enumerate() {
            write!(f, "{}{scope}", if place == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        scopes.into_iter().fold(Self::NONE, Self::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_fit_the_set() {
        assert!(Scope::ALL.len() <= 32);
        for scope in Scope::ALL {
            assert_eq!(Scope::of(scope.word()), Some(*scope));
            let only: Scopes = [*scope].into_iter().collect();
            assert_eq!(only.iter().collect::<Vec<_>>(), [*scope]);
        }
        assert_eq!(Scopes::all().iter().count(), Scope::ALL.len());
    }

    #[test]
    fn sets_meet_where_they_share_a_scope() {
        let either = Scopes::only(Scope::ActividadesWrite).and(Scope::ClientesRead);
        assert!(either.meet(Scopes::only(Scope::ClientesRead)) && either.meet(Scopes::all()));
        assert!(!either.meet(Scopes::only(Scope::ClientesWrite)) && !either.meet(Scopes::NONE));
        assert!(Scopes::NONE.is_empty() && !either.is_empty());
    }
}
