//! A JSON object of texts, in its order.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// Names and values in their order; a name with an array of values occurs once per value.
#[derive(Debug, Default)]
pub(crate) struct Pairs(pub(crate) Vec<(String, String)>);

/// A text, several, or nothing.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Values {
    One(String),
    Several(Vec<String>),
    None,
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of texts")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Pairs, M::Error> {
        let mut pairs = Vec::with_capacity(map.size_hint().unwrap_or(16));
        while let Some((name, values)) = map.next_entry::<String, Values>()? {
            match values {
                Values::One(value) => pairs.push((name, value)),
                Values::Several(values) => pairs.extend(values.into_iter().map(|value| (name.clone(), value))),
                Values::None => pairs.push((name, String::new())),
            }
        }
        Ok(Pairs(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_keep_their_order_and_their_repetitions() {
        let pairs: Pairs = serde_json::from_str(r#"{"z":["1","2"],"a":"3","m":null,"e":[]}"#).unwrap();
        let pairs: Vec<_> = pairs.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(pairs, ["z=1", "z=2", "a=3", "m="]);
        assert!(serde_json::from_str::<Pairs>(r#"{"a":1}"#).is_err());
    }
}
