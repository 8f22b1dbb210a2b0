//! What reading actions share: records with every field that can be written.

use std::fmt::Write as _;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::record::{Exported, ListSpec, Query, Row, RowError, Value};

/// How many records one statement reads.
const PAGE: u32 = 500;

/// A record as JSON.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct WholeRecord(Box<RawValue>);

impl JsonSchema for WholeRecord {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WholeRecord".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "properties": {}, "additionalProperties": true })
    }
}

impl WholeRecord {
    pub(super) fn of(json: Vec<u8>) -> Result<Self, Error> {
        let text = String::from_utf8(json).map_err(Error::internal)?;
        RawValue::from_string(text).map(Self).map_err(Error::internal)
    }

    /// The record with further members, each a name and a JSON value.
    pub(super) fn with(self, members: &[(&str, String)]) -> Result<Self, Error> {
        let mut json = self.0.get().trim_end_matches('}').to_owned();
        for (name, value) in members {
            // Writing to a string cannot fail.
            let _ = write!(json, ",\"{name}\":{value}");
        }
        json.push('}');
        Self::of(json.into_bytes())
    }

    pub(super) fn get(&self) -> &str {
        self.0.get()
    }
}

/// The record of that clave, or `no_encontrado`.
pub(super) async fn record<E: Exported>(cx: &mut Cx<'_>, clave: i64) -> Result<WholeRecord, Error> {
    let mut query = Query::new(&E::EXPORT, None, 1, cx.now.get());
    query.set("clave", Value::Integer(clave));
    let mut found = page::<E>(cx, &E::EXPORT, &query).await?.0;
    found.pop().ok_or_else(|| Code::NoEncontrado.into())
}

/// Every record for which the filter has that value.
pub(super) async fn records<E: Exported>(
    cx: &mut Cx<'_>,
    filter: &'static str,
    value: i64,
) -> Result<Vec<WholeRecord>, Error> {
    let mut query = Query::new(&E::EXPORT, None, PAGE, cx.now.get());
    query.set(filter, Value::Integer(value));
    let mut records = Vec::new();
    loop {
        let (mut found, last) = page::<E>(cx, &E::EXPORT, &query).await?;
        let is_full = found.len() == PAGE as usize;
        records.append(&mut found);
        if !is_full {
            return Ok(records);
        }
        query.after = last;
    }
}

/// The records of a page, and the greatest clave.
pub(super) async fn page<E: Exported>(
    cx: &mut Cx<'_>,
    list: &'static ListSpec,
    query: &Query,
) -> Result<(Vec<WholeRecord>, Option<i64>), Error> {
    let (mut found, mut greatest) = (Vec::new(), None);
    let mut add = |row: &dyn Row| -> Result<(), RowError> {
        if found.len() < query.limit as usize {
            let mut json = Vec::new();
            greatest = Some(E::export(row, &mut json)?);
            found.push(json);
        }
        Ok(())
    };
    cx.tx.list(list, query, &mut add).await?;
    Ok((found.into_iter().map(WholeRecord::of).collect::<Result<_, _>>()?, greatest))
}

/// Records as a JSON array.
pub(super) fn array(records: &[WholeRecord]) -> String {
    format!("[{}]", records.iter().map(WholeRecord::get).collect::<Vec<_>>().join(","))
}
