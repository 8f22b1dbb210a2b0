//! Field types of bodies, each with its rule and schema.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::StrDeserializer;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

use super::Fault;
use crate::schema::field_schema;

/// Declares a field type of text by its rule and its schema.
macro_rules! text_field {
    ($name:ident, $schema:tt) => {
        impl<const N: usize> std::str::FromStr for $name<N> {
            type Err = Fault;

            fn from_str(text: &str) -> Result<Self, Fault> {
                Self::deserialize(StrDeserializer::new(text))
            }
        }

        field_schema!([const N: usize] $name<N>, format!("{}{N}", stringify!($name)), $schema);
    };
}

text_field!(Text, { "type": "string", "minLength": 1, "maxLength": N });
text_field!(Exact, { "type": "string", "minLength": N, "maxLength": N });
text_field!(Digits, { "type": "string", "pattern": format!("^[0-9]{{{N}}}$") });

/// A string of 1 to `MAX` characters (not bytes), trimmed, without NUL. An empty string counts as
/// missing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<const MAX: usize>(String);

impl<const MAX: usize> Text<MAX> {
    /// Wraps a text that is known to be valid.
    pub(crate) fn unchecked(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl<const MAX: usize> Deref for Text<MAX> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> Serialize for Text<MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Text<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor<const MAX: usize>;
        impl<const MAX: usize> Visitor<'_> for TextVisitor<MAX> {
            type Value = Text<MAX>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "un texto de hasta {MAX} caracteres")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<MAX>, E> {
                let text = text.trim();
                match text.chars().count() {
                    length if length == 0 || length > MAX => Err(E::invalid_length(length, &self)),
                    // PostgreSQL's `text` cannot store NUL.
                    _ if text.contains('\0') => Err(E::custom("contiene un carácter NUL")),
                    _ => Ok(Text(text.to_owned())),
                }
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// A string of exactly `COUNT` characters, such as a catalogue's key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Exact<const COUNT: usize>(Text<COUNT>);

impl<'de, const COUNT: usize> Deserialize<'de> for Exact<COUNT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text::deserialize(deserializer)?;
        if text.chars().count() == COUNT {
            return Ok(Self(text));
        }
        Err(de::Error::custom(format_args!("debe tener {COUNT} caracteres")))
    }
}

/// A string of exactly `COUNT` ASCII digits, such as a postal code or a key with leading zeros.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digits<const COUNT: usize>(Text<COUNT>);

impl<const COUNT: usize> Digits<COUNT> {
    /// Wraps a text that is known to be valid.
    pub(crate) fn unchecked(digits: &str) -> Self {
        Self(Text::unchecked(digits))
    }
}

impl<const COUNT: usize> Deref for Exact<COUNT> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const COUNT: usize> Deref for Digits<COUNT> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de, const COUNT: usize> Deserialize<'de> for Digits<COUNT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text::deserialize(deserializer)?;
        if text.len() == COUNT && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self(text));
        }
        Err(de::Error::custom(format_args!("debe tener {COUNT} dígitos")))
    }
}

/// An integer from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Within<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> Within<MIN, MAX> {
    /// `None` if `number` is out of range.
    pub fn new(number: i64) -> Option<Self> {
        (MIN..=MAX).contains(&number).then_some(Self(number))
    }

    /// The integer, from `MIN` to `MAX`.
    pub fn get(self) -> i64 {
        self.0
    }
}

field_schema!([const MIN: i64, const MAX: i64] Within<MIN, MAX>, format!("From{MIN}To{MAX}"), {
    "type": "integer", "minimum": MIN, "maximum": MAX
});

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Within<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Integer<const MIN: i64, const MAX: i64>;
        impl<const MIN: i64, const MAX: i64> Visitor<'_> for Integer<MIN, MAX> {
            type Value = Within<MIN, MAX>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "un entero de {MIN} a {MAX}")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                Within::new(number).ok_or_else(|| E::invalid_value(de::Unexpected::Signed(number), &self))
            }
        }
        deserializer.deserialize_any(Integer)
    }
}

/// A list of 1 to `MAX` items. An empty list counts as missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Many<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> Many<T, MAX> {
    /// `None` if there are no items or too many.
    pub fn new(items: Vec<T>) -> Option<Self> {
        (1..=MAX).contains(&items.len()).then_some(Self(items))
    }

    /// The items, 1 to `MAX`.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T, const MAX: usize> Deref for Many<T, MAX> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Serialize, const MAX: usize> Serialize for Many<T, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for Many<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Stops at the first item beyond the limit, because the items may need far more memory
        /// than the body.
        struct Bounded<T, const MAX: usize>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Bounded<T, MAX> {
            type Value = Many<T, MAX>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "una lista de 1 a {MAX} elementos")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while items.len() < MAX
                    && let Some(item) = seq.next_element()?
                {
                    items.push(item);
                }
                match items.len() {
                    0 => Err(de::Error::invalid_length(0, &self)),
                    length if length == MAX && seq.next_element::<IgnoredAny>()?.is_some() => {
                        Err(de::Error::invalid_length(MAX + 1, &self))
                    }
                    _ => Ok(Many(items)),
                }
            }
        }
        deserializer.deserialize_seq(Bounded(PhantomData))
    }
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for Many<T, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("{}Many{MAX}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": generator.subschema_for::<T>(), "minItems": 1, "maxItems": MAX })
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::domain::money::Money;
    use crate::error::Code;
    use crate::json::{Fault, Json};

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Line {
        cantidad: i64,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Pedido,
        Cotizacion,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Order {
        nombre: Text<5>,
        nota: Option<Text<3>>,
        tipo: Option<Kind>,
        precio: Option<Money>,
        listo: Option<bool>,
        renglones: Option<Vec<Line>>,
    }

    fn read<T: de::DeserializeOwned>(body: &str) -> Result<T, Fault> {
        Json::parse_object(body.as_bytes()).unwrap().read()
    }

    #[test]
    fn every_fault_has_its_code_and_names_its_field() {
        for (body, code, field) in [
            ("{}", Code::DatoRequerido, "nombre"),
            (r#"{"nombre":null}"#, Code::DatoRequerido, "nombre"),
            (r#"{"nombre":"  "}"#, Code::DatoRequerido, "nombre"),
            (r#"{"nombre":5}"#, Code::DatoInvalido, "nombre"),
            (r#"{"nombre":"ñandús"}"#, Code::DatoInvalido, "nombre"),
            (r#"{"nombre":"a\u0000b"}"#, Code::DatoInvalido, "nombre"),
            (r#"{"nombre":["a"]}"#, Code::DatoInvalido, "nombre"),
            (r#"{"nombre":"a","otro":1}"#, Code::CampoNoPermitido, "otro"),
            (r#"{"nombre":"a","tipo":"factura"}"#, Code::DatoInvalido, "tipo"),
            (r#"{"nombre":"a","tipo":7}"#, Code::DatoInvalido, "tipo"),
            (r#"{"nombre":"a","precio":1e18}"#, Code::DatoInvalido, "precio"),
            (r#"{"nombre":"a","precio":-1}"#, Code::DatoInvalido, "precio"),
            (r#"{"nombre":"a","precio":true}"#, Code::DatoInvalido, "precio"),
            (r#"{"nombre":"a","listo":"true"}"#, Code::DatoInvalido, "listo"),
            (
                r#"{"nombre":"a","renglones":[{"cantidad":1},{"cantidad":1.5}]}"#,
                Code::DatoInvalido,
                "renglones[1].cantidad",
            ),
            (
                r#"{"nombre":"a","renglones":[{"cantidad":9223372036854775808}]}"#,
                Code::DatoInvalido,
                "renglones[0].cantidad",
            ),
            (r#"{"nombre":"a","renglones":[{}]}"#, Code::DatoRequerido, "renglones[0].cantidad"),
            (r#"{"nombre":"a","renglones":{}}"#, Code::DatoInvalido, "renglones"),
        ] {
            let fault = read::<Order>(body).unwrap_err();
            assert_eq!((fault.code(), fault.field()), (code, field), "{body}: {fault}");
            assert!(fault.to_string().starts_with(&format!("{field}: ")), "{fault}");
        }
    }

    #[test]
    fn the_fault_of_a_wrong_type_says_what_the_value_should_be() {
        for (body, said) in [
            (r#"{"nombre":"a","renglones":7}"#, "renglones: debe ser una lista"),
            (r#"{"nombre":"a","renglones":[7]}"#, "renglones[0]: debe ser un objeto"),
            // An array is no object, although its items would fit the fields.
            (r#"{"nombre":"a","renglones":[[1]]}"#, "renglones[0]: debe ser un objeto"),
            (r#"{"nombre":"a","renglones":[{"cantidad":"1"}]}"#, "renglones[0].cantidad: debe ser un entero"),
            (r#"{"nombre":"a","renglones":[{"cantidad":15e-1}]}"#, "renglones[0].cantidad: debe ser un entero"),
            (
                r#"{"nombre":"a","renglones":[{"cantidad":9223372036854775808}]}"#,
                "renglones[0].cantidad: debe ser un entero de -9223372036854775808 a 9223372036854775807",
            ),
            (r#"{"nombre":"a","listo":1}"#, "listo: debe ser true o false"),
            (r#"{"nombre":1}"#, "nombre: debe ser un texto de hasta 5 caracteres"),
            (r#"{"nombre":"a","tipo":[]}"#, "tipo: debe ser uno de: pedido, cotizacion"),
        ] {
            assert_eq!(read::<Order>(body).unwrap_err().to_string(), said, "{body}");
        }
    }

    #[test]
    fn empty_optionals_are_absent_and_money_keeps_its_digits() {
        let order: Order =
            read(r#"{"nombre":" ñandú ","nota":"","tipo":"","precio":1160.123456,"renglones":null}"#).unwrap();
        assert_eq!(&*order.nombre, "ñandú");
        assert_eq!((order.nota, order.tipo, order.renglones), (None, None, None));
        assert_eq!(order.precio.unwrap().to_string(), "1160.123456");
        let order: Order = read(r#"{"nombre":"a","tipo":"pedido","precio":"900719925474099345.67"}"#).unwrap();
        assert_eq!(
            (order.tipo, order.precio.unwrap().to_string()),
            (Some(Kind::Pedido), "900719925474099345.67".into())
        );
    }

    #[test]
    fn a_field_is_made_of_a_string_as_it_is_read() {
        assert_eq!(&*" ñandú ".parse::<Text<5>>().unwrap(), "ñandú");
        assert_eq!(&*"MXN".parse::<Exact<3>>().unwrap(), "MXN");
        assert_eq!(&*"01000".parse::<Digits<5>>().unwrap(), "01000");
        assert_eq!("  ".parse::<Text<5>>().unwrap_err().code(), Code::DatoRequerido);
        assert_eq!("ñandús".parse::<Text<5>>().unwrap_err().code(), Code::DatoInvalido);
        assert_eq!("MX".parse::<Exact<3>>().unwrap_err().code(), Code::DatoInvalido);
        assert_eq!("0100x".parse::<Digits<5>>().unwrap_err().code(), Code::DatoInvalido);
    }
}
