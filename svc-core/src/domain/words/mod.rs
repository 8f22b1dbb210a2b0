//! Closed sets of words: the statuses and kinds of the wire and the database (contract §3), in
//! their exact spelling. `words!` declares a set. This file has the sets that several records
//! share, `goods` and `sales` those of one area; a set that one module alone needs is declared in
//! that module.

mod goods;
mod sales;

pub use goods::{
    BrandStatus, Direction, MovementKind, PayableKind, PayableStatus, ProductKind, ProductStatus, ProductSubkind,
    PurchaseStatus, SupplierStatus, WarehouseStatus,
};
pub use sales::{
    CancellationReason, Complement, Fulfilment, Held, InvoiceKind, InvoiceOrigin, InvoiceStatus, OrderKind,
    OwnerMatter, PaymentMethod, PaymentOrigin, PaymentTerm, ReceivableStatus, RequestedStatus, SaleKind, SaleOrigin,
};

use serde::Serialize;

/// A value of a closed set, with one word for the wire and the database.
pub trait Word: Copy + Serialize {
    /// The word on the wire and in the database.
    fn word(&self) -> &'static str;

    /// The value of that word; `None` if the set does not contain it.
    fn of(word: &str) -> Option<Self>;
}

/// Declares a closed set of words as an enum.
///
/// A caller writes the enum with the word of each variant:
///
/// ```text
/// words! {
///     /// Whether a movement adds to stock or takes from it.
///     pub enum Direction {
///         /// Adds.
///         Entrada = "entrada",
///         /// Takes.
///         Salida = "salida",
///     }
/// }
/// ```
///
/// and gets the enum, `Direction::WORDS` and `Direction::ALL` (every word and every value, in that
/// order), `word()` and `of(&str)`, its [`Word`], its serde form (the word as a JSON string) and
/// its JSON Schema (`"enum": WORDS`).
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$note:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
        $vis enum $name { $($(#[$note])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            /// Every word of the set.
            pub const WORDS: &'static [&'static str] = &[$($word,)*];

            /// Every value of the set.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word on the wire and in the database.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The value of that word; `None` if the set does not contain it.
            pub fn of(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }

        impl $crate::domain::words::Word for $name {
            fn word(&self) -> &'static str {
                Self::word(*self)
            }

            fn of(word: &str) -> Option<Self> {
                Self::of(word)
            }
        }

        $crate::schema::field_schema!($name, stringify!($name), { "type": "string", "enum": Self::WORDS });
    };
}

pub(super) use words;

words! {
    /// Why an attempt at a delivery failed (contract §3, "entregas").
    pub enum DeliveryReason {
        /// The name resolved to an address that deliveries are not sent to.
        DestinoBloqueado = "destino_bloqueado",
        /// The attempt took longer than 8 seconds.
        TiempoAgotado = "tiempo_agotado",
        /// The name is unknown, the connection was refused, or the exchange broke off.
        ErrorRed = "error_red",
        /// The certificate is of another name, expired, or of an unknown authority.
        CertificadoInvalido = "certificado_invalido",
        /// The response was no 2xx.
        RespuestaNo2xx = "respuesta_no_2xx",
    }
}

words! {
    /// Whether a category, a unit and the like are in use.
    pub enum Status {
        /// In use.
        Activo = "activo",
        /// Not in use.
        Inactivo = "inactivo",
    }
}

words! {
    /// The sales platform whose customer a customer is.
    pub enum Platform {
        /// Platform a.
        A = "a",
        /// Platform b.
        B = "b",
        /// Platform c.
        C = "c",
        /// Platform d.
        D = "d",
        /// Platform e.
        E = "e",
    }
}

words! {
    /// The status of an opportunity: the type of its stage.
    pub enum OpportunityStatus {
        /// Under way.
        Abierta = "abierta",
        /// Won.
        Ganada = "ganada",
        /// Lost.
        Perdida = "perdida",
    }
}
