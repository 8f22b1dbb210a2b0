//! The names of a host's types among the components of a description.

#[cfg(test)]
pub(super) mod tests;

use std::collections::{HashMap, HashSet};

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::schemas::{COMPONENTS, name_of};

/// What a generator describes: types as they are read, or as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SchemaSide {
    Taken,
    Given,
}

/// The host's types. A generator knows only its own types, so a name may be that of another type on
/// the other side, of Svc or of the host; then it gets a number, as in one generator.
#[derive(Debug)]
pub(super) struct OwnTypes {
    /// The names that a generator had given when Svc's own types were all in.
    before: HashSet<(SchemaSide, String)>,
    /// Every type by its name in the description, as its generator described it.
    types: HashMap<String, Value>,
    /// The names in the description of a generator's types.
    names: HashMap<(SchemaSide, String), String>,
    components: Map<String, Value>,
}

impl OwnTypes {
    /// Begins when `types` are all of Svc's.
    pub(super) fn beside(types: &Map<String, Value>, generators: [(SchemaSide, &SchemaGenerator); 2]) -> Self {
        let names = |(side, generator): (SchemaSide, &SchemaGenerator)| {
            generator.definitions().keys().map(|name| (side, name.clone())).collect::<Vec<_>>()
        };
        Self {
            before: generators.into_iter().flat_map(names).collect(),
            types: types.iter().map(|(name, schema)| (name.clone(), schema.clone())).collect(),
            names: HashMap::new(),
            components: Map::new(),
        }
    }

    /// Adds the types that a generator has made since. `is_composed` says which names components
    /// have that are no types.
    pub(super) fn adopt(&mut self, side: SchemaSide, generator: &SchemaGenerator, is_composed: impl Fn(&str) -> bool) {
        let is_new = |name: &str| {
            let key = (side, name.to_owned());
            !self.before.contains(&key) && !self.names.contains_key(&key)
        };
        let mut added: Vec<(&String, &Value)> =
            generator.definitions().iter().filter(|(name, _)| is_new(name)).collect();
        added.sort_unstable_by_key(|(name, _)| *name);
        let mut new = Vec::new();
        for (name, schema) in added {
            let is_free = |name: &str| match self.types.get(name) {
                Some(other) => other == schema,
                None => !is_composed(name),
            };
            let free = numbered(name, is_free);
            self.names.insert((side, name.clone()), free.clone());
            if self.types.insert(free.clone(), schema.clone()).is_none() {
                new.push((free, schema.clone()));
            }
        }
        for (name, schema) in new {
            let renamed = self.renamed(side, schema);
            self.components.insert(name, renamed);
        }
    }

    /// Whether the description has a type of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// The name in the description of the component that a generator's schema refers to.
    pub(super) fn name(&self, side: SchemaSide, schema: &Schema) -> Option<String> {
        let name = name_of(schema)?;
        Some(self.names.get(&(side, name.clone())).cloned().unwrap_or(name))
    }

    /// A generator's schema, with the names in the description.
    pub(super) fn renamed(&self, side: SchemaSide, mut schema: Value) -> Value {
        rewrite(&mut schema, &|reference| {
            let name = reference.strip_prefix(COMPONENTS)?;
            Some(format!("{COMPONENTS}{}", self.names.get(&(side, name.to_owned()))?))
        });
        schema
    }

    pub(super) fn into_components(self) -> Map<String, Value> {
        self.components
    }
}

/// The first of `name`, `name2`, `name3` … that is free.
pub(super) fn numbered(name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let others = (2_u32..).map(|number| format!("{name}{number}"));
    std::iter::once(name.to_owned()).chain(others).find(|name| is_free(name)).unwrap_or_default()
}

/// Replaces references, where `replacement` gives another.
pub(super) fn rewrite(schema: &mut Value, replacement: &impl Fn(&str) -> Option<String>) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value.as_str().filter(|_| key == "$ref").and_then(replacement) {
                    Some(other) => *value = other.into(),
                    None => rewrite(value, replacement),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                rewrite(item, replacement);
            }
        }
        _ => {}
    }
}
