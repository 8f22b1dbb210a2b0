//! The text of values within a body, for values that are read later.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The name by which the deserializer knows [`RawObject`].
pub(super) const RAW_OBJECT: &str = "svc_core::json::RawObject";

/// An object that is kept as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawObject(pub(crate) String);

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectText;
        impl Visitor<'_> for ObjectText {
            type Value = RawObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("un objeto")
            }

            fn visit_str<E>(self, text: &str) -> Result<RawObject, E> {
                Ok(RawObject(text.to_owned()))
            }
        }
        deserializer.deserialize_newtype_struct(RAW_OBJECT, ObjectText)
    }
}

impl JsonSchema for RawObject {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RawObject".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": true })
    }
}

/// The members of an object in its order, if `json` is one.
fn members(json: &str) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    struct MemberList;
    impl<'de> Visitor<'de> for MemberList {
        type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(MemberKey(key)) = map.next_key()? {
                members.push((key, map.next_value()?));
            }
            Ok(members)
        }
    }
    /// A key, borrowed if it has no escapes.
    #[derive(serde::Deserialize)]
    struct MemberKey<'k>(#[serde(borrow)] Cow<'k, str>);
    serde_json::Deserializer::from_str(json).deserialize_map(MemberList).ok()
}

/// Copies `json`, with each object of the one member `{"$": "…"}` replaced by the JSON that
/// `resolve` returns for its text.
pub(crate) fn resolved<E>(json: &str, resolve: &mut dyn FnMut(&str) -> Result<String, E>) -> Result<String, E> {
    let joined = |parts: Result<Vec<String>, E>| parts.map(|parts| parts.join(","));
    match json.as_bytes().first() {
        Some(b'{') => {
            let members = members(json).unwrap_or_default();
            if let [(key, value)] = &members[..]
                && key == "$"
                && let Ok(reference) = serde_json::from_str::<Cow<'_, str>>(value.get())
            {
                return resolve(&reference);
            }
            let parts = members.iter().map(|(key, value)| {
                // A string cannot fail to serialise.
                let key = serde_json::to_string(key).unwrap_or_default();
                Ok(format!("{key}:{}", resolved(value.get(), resolve)?))
            });
            Ok(format!("{{{}}}", joined(parts.collect())?))
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
            let parts = items.iter().map(|item| resolved(item.get(), resolve));
            Ok(format!("[{}]", joined(parts.collect())?))
        }
        _ => Ok(json.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Fault, Json};

    #[test]
    fn references_are_replaced_wherever_they_stand() {
        let of = |json: &str| {
            resolved(json, &mut |name| if name == "no" { Err("unknown") } else { Ok(format!("<{name}>")) })
        };
        for (json, expected) in [
            (r#"{"a": {"$": "0.venta"}, "b": [1.50, {"$":"1.x"}]}"#, r#"{"a":<0.venta>,"b":[1.50,<1.x>]}"#),
            (r#"{"\u0024":"0.a"}"#, "<0.a>"),
            (r#"{"$":"0.a","b":1}"#, r#"{"$":"0.a","b":1}"#),
            (r#"{"$":1}"#, r#"{"$":1}"#),
            (r#"{"a\"b":"{\"$\":\"0.a\"}"}"#, r#"{"a\"b":"{\"$\":\"0.a\"}"}"#),
            ("[]", "[]"),
            ("1e3", "1e3"),
        ] {
            assert_eq!(of(json).as_deref(), Ok(expected), "{json}");
        }
        assert_eq!(of(r#"{"a":[{"$":"no"}]}"#), Err("unknown"));
    }

    #[test]
    fn an_object_within_a_body_is_kept_as_its_text() {
        #[derive(Debug, serde::Deserialize)]
        struct Body {
            one: RawObject,
            other: Option<RawObject>,
        }
        let read = |text: &str| Json::parse_object(text.as_bytes()).unwrap().read::<Body>();
        let body = read(r#"{"one": {"a": 1.50 , "b":["}"]}, "other":null}"#).unwrap();
        assert_eq!((body.one.0.as_str(), body.other), (r#"{"a": 1.50 , "b":["}"]}"#, None));
        let fault = |text: &str| read(text).map(drop).map_err(|fault: Fault| fault.to_string());
        assert_eq!(fault(r#"{"one":[]}"#), Err("one: debe ser un objeto".to_owned()));
        assert_eq!(fault(r#"{"one":null}"#), Err("one: es obligatorio".to_owned()));
        assert_eq!(fault("{}"), Err("one: es obligatorio".to_owned()));
    }
}
