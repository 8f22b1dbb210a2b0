//! Scopes: the permissions of API keys (spec, "Authentication" 6).

use std::fmt;
use std::sync::Arc;

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
        /// Run the back office's actions over HTTP (contract §11).
        Oficina = "oficina",
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A scope of a host's own operations, on the wire `area:action` as Svc's own: `paqueteria:write`.
/// No key has it unless it was created with it; [`Scopes::all`] does not include it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OwnScope(&'static str);

impl OwnScope {
    /// The scope of that name. In a constant, a name without the form `area:action` (lower-case
    /// letters, digits and `_`) does not compile.
    ///
    /// # Panics
    /// If the name does not have that form.
    pub const fn new(word: &'static str) -> Self {
        let bytes = word.as_bytes();
        let (mut at, mut colon) = (0, 0);
        while at < bytes.len() {
            match bytes[at] {
                b'a'..=b'z' | b'0'..=b'9' | b'_' => {}
                b':' if colon == 0 && at > 0 => colon = at,
                _ => panic!("a scope has the form area:action"),
            }
            at += 1;
        }
        assert!(colon > 0 && colon + 1 < bytes.len(), "a scope has the form area:action");
        Self(word)
    }

    /// The name on the wire.
    pub const fn word(self) -> &'static str {
        self.0
    }
}

/// A set of scopes: any of Svc's, and at most one of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes {
    ours: u32,
    own: Option<OwnScope>,
}

impl Scopes {
    /// Every scope of the API: all but [`Scope::Oficina`], which is given by name.
    pub fn all() -> Self {
        Scope::ALL.iter().copied().filter(|scope| *scope != Scope::Oficina).collect()
    }

    pub(crate) const NONE: Self = Self { ours: 0, own: None };

    /// The set of `scope` alone.
    pub const fn only(scope: Scope) -> Self {
        Self { ours: 1 << scope as u32, own: None }
    }

    /// The set of a host's scope alone.
    pub const fn own(scope: OwnScope) -> Self {
        Self { ours: 0, own: Some(scope) }
    }

    /// The set with `scope` added.
    #[must_use]
    pub const fn and(self, scope: Scope) -> Self {
        Self { ours: self.ours | 1 << scope as u32, ..self }
    }

    /// Whether the set has no scope.
    pub const fn is_empty(self) -> bool {
        self.ours == 0 && self.own.is_none()
    }

    /// The name of the only scope in the set; `None` if it has none or several.
    pub(crate) const fn sole_word(self) -> Option<&'static str> {
        match self.own {
            Some(own) if self.ours == 0 => Some(own.0),
            None if self.ours.is_power_of_two() => Some(Scope::ALL[self.ours.trailing_zeros() as usize].word()),
            _ => None,
        }
    }

    /// The host's scope in the set.
    pub(crate) const fn of_host(self) -> Option<OwnScope> {
        self.own
    }

    /// Whether `scope` is in the set.
    pub const fn has(self, scope: Scope) -> bool {
        self.ours & (1 << scope as u32) != 0
    }

    /// Svc's scopes in the set, in the specification's order.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.has(*scope))
    }

    /// The names of all scopes in the set, the host's last.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        self.iter().map(Scope::word).chain(self.own.map(OwnScope::word))
    }
}

/// What a key may do: scopes of Svc, and of a host's own operations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyScopes {
    ours: Scopes,
    own: Arc<[Box<str>]>,
}

impl KeyScopes {
    /// The scopes of these names. A name that is none of Svc's is taken for a host's.
    pub fn of_words<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Self {
        let (mut ours, mut own) = (Scopes::NONE, Vec::new());
        for word in words {
            match Scope::of(word.as_ref()) {
                Some(scope) => ours = ours.and(scope),
                None => own.push(word.as_ref().into()),
            }
        }
        Self { ours, own: own.into() }
    }

    /// Whether the key has `scope`.
    pub fn has(&self, scope: Scope) -> bool {
        self.ours.has(scope)
    }

    /// Whether the key has the scope of that name, of Svc or of a host.
    pub fn has_word(&self, word: &str) -> bool {
        self.words().any(|own| own == word)
    }

    /// Whether the key has one of the scopes that an operation needs.
    pub fn meet(&self, needed: Scopes) -> bool {
        self.ours.ours & needed.ours != 0
            || needed.own.is_some_and(|needed| self.own.iter().any(|own| **own == *needed.word()))
    }

    /// The names: Svc's in the specification's order, then the host's.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.ours.iter().map(|scope| -> &str { scope.word() }).chain(self.own.iter().map(|own| &**own))
    }
}

impl From<Scopes> for KeyScopes {
    fn from(scopes: Scopes) -> Self {
        Self::of_words(scopes.words())
    }
}

impl fmt::Display for KeyScopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, word) in self.words().enumerate() {
            write!(f, "{}{word}", if place == 0 { "" } else { ", " })?;
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
        assert_eq!(Scopes::all().iter().count(), Scope::ALL.len() - 1);
        assert!(!Scopes::all().has(Scope::Oficina), "it is given by name");
    }

    #[test]
    fn sets_meet_where_they_share_a_scope() {
        const OWN: OwnScope = OwnScope::new("paqueteria:write");
        let either = Scopes::only(Scope::ActividadesWrite).and(Scope::ClientesRead);
        let of = |scopes: Scopes| KeyScopes::from(scopes);
        assert!(of(Scopes::only(Scope::ClientesRead)).meet(either) && of(Scopes::all()).meet(either));
        assert!(!of(Scopes::only(Scope::ClientesWrite)).meet(either) && !of(Scopes::NONE).meet(either));
        assert!(Scopes::NONE.is_empty() && !either.is_empty() && !Scopes::own(OWN).is_empty());
        let key = KeyScopes::of_words(["paqueteria:write", "ventas:read"]);
        assert!(key.meet(Scopes::own(OWN)) && key.has(Scope::VentasRead) && !of(Scopes::all()).meet(Scopes::own(OWN)));
        assert_eq!(key.to_string(), "ventas:read, paqueteria:write");
        assert!(key.has_word("paqueteria:write") && key.has_word("ventas:read") && !key.has_word("ventas:write"));
        let sole = [Scopes::own(OWN), Scopes::only(Scope::CxcRead), Scopes::NONE, either].map(Scopes::sole_word);
        assert_eq!(sole, [Some("paqueteria:write"), Some("cxc:read"), None, None]);
        assert_eq!(Scopes::own(OWN).and(Scope::CxcRead).sole_word(), None);
    }
}
