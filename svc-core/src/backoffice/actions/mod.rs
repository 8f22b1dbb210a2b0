//! Back-office actions by name, with JSON for input: what `svc do` does, and what an embedder may offer its own screens.
//!
//! # How to add one
//! 1. In the file of its area in `backoffice/`, a struct of the input's field names that derives `Deserialize` and
//!    `JsonSchema` (`#[serde(deny_unknown_fields)]`, a doc comment a field: both are its documentation for callers), with
//!    `impl Action` and `impl NamedAction`. Its output derives `Serialize` and names the claves of what was made or changed.
//! 2. One line in [`ACTIONS`]. What is an operation of the API already is registered as it is: `operation`, or `on_record`
//!    when its path has a clave.
//! 3. A sample of its input in the test of this file, and its rules in `tests/it/backoffice/`.

mod erased;
mod operation;
mod registry;
mod sale;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use operation::{Do, Edit};
pub use registry::ACTIONS;

use super::{Action, Office};
use crate::error::{Code, Error};
use crate::json::{Json, brief};
use crate::store::CompanyId;
use erased::AnyAction;

/// An action that can be asked for by its name. Its fields are its input.
pub trait NamedAction: Action<Output: Serialize> + DeserializeOwned + JsonSchema + 'static {
    /// Its name: what it is about, a dot, and what is done (`stock.move`).
    const NAME: &'static str;
    /// What it does, in a few words.
    const SUMMARY: &'static str;
    /// The types of the events it may emit.
    const EMITS: &'static [&'static str];
}

/// An action of the table.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The types of the events it may emit.
    pub emits: &'static [&'static str],
    handler: &'static dyn AnyAction,
}

/// What an action says about itself.
#[derive(Debug, Clone, Serialize)]
pub struct Description {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The types of the events it may emit.
    pub emits: &'static [&'static str],
    /// The JSON Schema (2020-12) of its input.
    pub schema: Value,
}

impl Entry {
    /// What it says about itself.
    pub fn describe(&self) -> Description {
        let Self { name, summary, emits, handler } = *self;
        Description { name, summary, emits, schema: handler.schema().to_value() }
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Office {
    /// Does the action of that name in `company`, in one transaction, with `input`, an object of its fields; gives the JSON
    /// of its output. A fault of the input names its field; an unknown name is `no_encontrado`.
    pub async fn act(&self, company: CompanyId, name: &str, input: &Json) -> Result<Bytes, Error> {
        let unknown = || {
            let text = format!("accion: no hay ninguna que se llame {:?}; svc do --list las enumera", brief(name));
            Error::new(Code::NoEncontrado).message(text)
        };
        let entry = ACTIONS.iter().find(|entry| entry.name == name).ok_or_else(unknown)?;
        entry.handler.act(self, company, input).await
    }
}

#[cfg(test)]
mod tests;
