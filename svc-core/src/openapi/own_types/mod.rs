//! The names of a host's types among the components of a description.

#[cfg(test)]
pub(super) mod tests;

use std::collections::{HashMap, HashSet};

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::references::{COMPONENTS, name_of, rewrite};

/// What a generator describes: types as they are read, or as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SchemaSide {
    Taken,
    Given,
}

/// The host's types. Two generators may give one name to different types, and a type may have the
/// name of one of Svc's. The second gets a number, as within one generator.
#[derive(Debug)]
pub(super) struct OwnTypes {
    /// The names that a generator had given when Svc's own types were all in.
    before: HashSet<(SchemaSide, String)>,
    /// Svc's own types, by their names.
    ours: Map<String, Value>,
    /// The host's types by their names in the description, with all that they contain.
    types: HashMap<String, Value>,
    /// The names in the description of a generator's types.
    names: HashMap<(SchemaSide, String), String>,
    components: Map<String, Value>,
}

impl OwnTypes {
    /// Starts from Svc's own types, before the host's are described.
    pub(super) fn beside(ours: Map<String, Value>, generators: [(SchemaSide, &SchemaGenerator); 2]) -> Self {
        let names = |(side, generator): (SchemaSide, &SchemaGenerator)| {
            generator.definitions().keys().map(|name| (side, name.clone())).collect::<Vec<_>>()
        };
        Self {
            before: generators.into_iter().flat_map(names).collect(),
            ours,
            types: HashMap::new(),
            names: HashMap::new(),
            components: Map::new(),
        }
    }

    /// Adds the types that a generator has described since. `is_composed` tells the names of
    /// components that are not types.
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
            let expanded = whole(generator.definitions(), schema, &[name]);
            let can_have = |name: &str| match (self.types.get(name), self.ours.get(name)) {
                (Some(other), _) => *other == expanded,
                (None, Some(ours)) => whole(&self.ours, ours, &[name]) == expanded,
                (None, None) => !is_composed(name),
            };
            let free = numbered(name, can_have);
            self.names.insert((side, name.clone()), free.clone());
            if !self.has(&free) {
                self.types.insert(free.clone(), expanded);
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
        self.types.contains_key(name) || self.ours.contains_key(name)
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

    /// Svc's own types and the host's, by their names in the description.
    pub(super) fn into_components(self) -> [Map<String, Value>; 2] {
        [self.ours, self.components]
    }
}

/// A schema with the types that it contains in the place of their names, which say nothing by
/// themselves. Where a type contains itself, its name stands.
fn whole(definitions: &Map<String, Value>, schema: &Value, around: &[&str]) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix(COMPONENTS))
        && let Some(target) = definitions.get(name).filter(|_| !around.contains(&name))
    {
        return whole(definitions, target, &[around, &[name]].concat());
    }
    match schema {
        Value::Object(members) => {
            let within = |(key, value): (&String, &Value)| (key.clone(), whole(definitions, value, around));
            members.iter().map(within).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(|item| whole(definitions, item, around)).collect(),
        other => other.clone(),
    }
}

/// The first of `name`, `name2`, `name3` … that is free.
pub(super) fn numbered(name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let others = (2_u32..).map(|number| format!("{name}{number}"));
    std::iter::once(name.to_owned()).chain(others).find(|name| is_free(name)).unwrap_or_default()
}
