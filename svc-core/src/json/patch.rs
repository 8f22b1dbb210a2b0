//! Field types of bodies that edit.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer};

/// An optional field of an edit (contract §1, PUT): absent keeps the value, `null` or "" clears it,
/// anything else replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// The field was not sent.
    #[default]
    Keep,
    /// The field was sent as `null` or "".
    Clear,
    /// The field was sent with this value.
    Set(T),
}

impl<T> Patch<T> {
    /// Applies the patch to `field`.
    pub(crate) fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }

    /// Converts the value of [`Self::Set`].
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(change(value)),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Clear, Self::Set))
    }
}

impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

/// A required field of an edit: it may be left out, but not cleared. The struct needs
/// `#[serde(default)]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent<T>(Option<T>);

impl<T> Sent<T> {
    /// The value; `None` if the field was not sent.
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }
}

impl<T> Default for Sent<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> From<T> for Sent<T> {
    fn from(value: T) -> Self {
        Self(Some(value))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Sent<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}

impl<T: JsonSchema> JsonSchema for Sent<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde::de::DeserializeOwned;

    use super::*;
    use crate::domain::money::Money;
    use crate::error::Code;
    use crate::json::{Fault, Json, Text};

    #[derive(Debug, PartialEq, Deserialize, Default)]
    #[serde(deny_unknown_fields, default)]
    struct Edit {
        nombre: Sent<Text<5>>,
        nota: Patch<Text<3>>,
        precio: Patch<Money>,
    }

    fn read<T: DeserializeOwned>(body: &str) -> Result<T, Fault> {
        Json::parse_object(body.as_bytes()).unwrap().read()
    }

    #[test]
    fn an_edit_keeps_clears_and_sets() {
        assert_eq!(read::<Edit>("{}").unwrap(), Edit::default());
        let edit: Edit = read(r#"{"nombre":"b","nota":"","precio":null}"#).unwrap();
        assert_eq!((edit.nota, edit.precio), (Patch::Clear, Patch::Clear));
        assert_eq!(&**edit.nombre.get().unwrap(), "b");
        for body in [r#"{"nombre":null}"#, r#"{"nombre":""}"#] {
            assert_eq!(read::<Edit>(body).unwrap_err().code(), Code::DatoRequerido);
        }
        assert!(matches!(read::<Edit>(r#"{"precio":0}"#).unwrap().precio, Patch::Set(_)));
    }
}
