//! Fields of bodies that hold a catalogue's key: read as text or number, compared by the rules
//! (422), and described by the catalogue itself.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::Deref;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::FORM_TO_BE_DEFINED;
use super::tables::{CFDI_USES, COUNTRIES, CURRENCIES, PAYMENT_FORMS, PAYMENT_METHODS, REGIMES, TAX_OBJECTS, VAT};
use crate::domain::rfc;

/// What may stand in a field, as a JSON Schema.
pub trait Catalogue: Debug + Clone + PartialEq {
    /// The schema of one key.
    fn schema() -> Value;
}

/// A field of type `T`, the type of its text or number, with a key of `C`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SatKey<T, C>(T, PhantomData<C>);

impl<T, C> SatKey<T, C> {
    /// Wraps a key that is known to be valid.
    pub(crate) fn unchecked(key: T) -> Self {
        Self(key, PhantomData)
    }
}

impl<'de, T: Deserialize<'de>, C> Deserialize<'de> for SatKey<T, C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(|value| Self(value, PhantomData))
    }
}

impl<T: FromStr, C> FromStr for SatKey<T, C> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.parse().map(|value| Self(value, PhantomData))
    }
}

impl<T: Deref<Target = str>, C> Deref for SatKey<T, C> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<T: Into<String>, C> From<SatKey<T, C>> for String {
    fn from(key: SatKey<T, C>) -> Self {
        key.0.into()
    }
}

impl<C> From<i64> for SatKey<i64, C> {
    fn from(number: i64) -> Self {
        Self(number, PhantomData)
    }
}

impl<C> From<SatKey<i64, C>> for i64 {
    fn from(key: SatKey<i64, C>) -> Self {
        key.0
    }
}

impl<T, C: Catalogue> JsonSchema for SatKey<T, C> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        std::any::type_name::<C>().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::try_from(C::schema()).unwrap_or_default()
    }
}

macro_rules! catalogues {
    ($($(#[$doc:meta])* $vis:vis $name:ident = $schema:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name {}

        impl Catalogue for $name {
            fn schema() -> Value {
                $schema
            }
        }
    )*};
}

fn words(keys: impl IntoIterator<Item = &'static str>) -> Value {
    json!({ "type": "string", "enum": keys.into_iter().collect::<Vec<_>>() })
}

catalogues! {
    /// `c_UsoCFDI`.
    pub CfdiUses = words(CFDI_USES.iter().map(|cfdi_use| cfdi_use.clave));
    /// `c_FormaPago`.
    pub PaymentForms = words(PAYMENT_FORMS.iter().copied());
    /// `c_FormaPago`, of money that moved: without 99, "to be defined".
    pub PaidForms = words(PAYMENT_FORMS.iter().copied().filter(|form| *form != FORM_TO_BE_DEFINED));
    /// `c_MetodoPago`.
    pub PaymentMethods = words(PAYMENT_METHODS.iter().copied());
    /// `c_ObjetoImp`.
    pub TaxObjects = words(TAX_OBJECTS.iter().copied());
    /// `c_Moneda`.
    pub Currencies = words(CURRENCIES.iter().map(|(clave, _)| *clave));
    /// The keys of IVA.
    pub Vats = words(VAT.iter().map(|(clave, _)| *clave));
    /// The form of a key of `c_ClaveProdServ`, which has too many to list.
    pub ProductServices = json!({ "type": "string", "pattern": "^[0-9]{8}$" });
    /// The form of a key of `c_ClaveUnidad`, which has too many to list.
    pub Units = json!({ "type": "string", "pattern": "^[0-9A-Za-z]{2,3}$" });
    /// The form of an RFC.
    pub Rfcs = json!({ "type": "string", "pattern": rfc::PATTERN });
    /// `c_RegimenFiscal`.
    pub Regimes = json!({ "type": "integer", "enum": REGIMES.iter().map(|regime| regime.clave).collect::<Vec<_>>() });
    /// The internal keys of countries.
    pub Countries = {
        let ends = |end: Option<&(i64, &str)>| end.map(|(clave, _)| *clave);
        json!({ "type": "integer", "minimum": ends(COUNTRIES.first()), "maximum": ends(COUNTRIES.last()) })
    };
}
