//! Several actions of the office in one transaction (contract §11).

use std::collections::BTreeMap;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::context::Context;
use crate::error::{Code, Error};
use crate::json::{Json, Many, RawObject, Text, brief, resolved};
use crate::operation::{Answer, AnyOperation, Cx, Handler, Head};

/// The most actions of a batch.
const MAX_ACTIONS: usize = 100;

/// The levels of the body above an action's input.
const LEVELS: usize = 4;

/// The body of a batch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchBody {
    /// The actions, in the order in which they run.
    acciones: Many<BatchAction, MAX_ACTIONS>,
}

/// An action of a batch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BatchAction {
    /// The action's name.
    accion: Text<100>,
    /// Its input. An object `{"$": "0.venta"}` stands for a field of an earlier result.
    entrada: RawObject,
}

pub(super) struct Batch(Vec<BatchStep>);

struct BatchStep {
    operation: &'static dyn AnyOperation,
    input: String,
}

/// The body of a request for a batch.
pub(super) fn json(body: Bytes) -> Result<Json, Error> {
    Json::parse_around(body, LEVELS).map_err(|text| Error::new(Code::JsonInvalido).message(text))
}

impl Batch {
    /// Reads the actions; each must exist and answer JSON.
    pub(super) fn read(context: &Context, body: &Json) -> Result<Self, Error> {
        let BatchBody { acciones } = body.read()?;
        let step = |(at, BatchAction { accion, entrada }): (usize, BatchAction)| {
            let refused = |code, text: String| Error::new(code).message(format!("acciones[{at}]: {text}"));
            let entry = context.registry().named(&accion).ok_or_else(|| {
                refused(Code::RutaNoExiste, format!("no hay ninguna acción que se llame {:?}", brief(&accion)))
            })?;
            let Handler::Operation(operation) = entry.handler else {
                return Err(refused(Code::DatoInvalido, format!("{} responde un archivo y se pide sola", &*accion)));
            };
            Ok(BatchStep { operation, input: entrada.0 })
        };
        Ok(Self(acciones.into_vec().into_iter().enumerate().map(step).collect::<Result<_, Error>>()?))
    }

    /// Runs the actions one after the other; the first that fails ends the batch.
    pub(super) async fn run(&self, cx: &mut Cx<'_>) -> Result<Answer, Error> {
        let mut answers: Vec<Answer> = Vec::with_capacity(self.0.len());
        for (at, step) in self.0.iter().enumerate() {
            let outcome = match step.input(&answers) {
                Ok(input) => step.operation.run(cx, &input).await,
                Err(error) => Err(error),
            };
            answers.push(outcome.map_err(|error| placed(at, error))?);
        }
        let listed = |each: fn(&Answer) -> &Bytes| {
            let results: Vec<&[u8]> = answers.iter().map(|answer| &each(answer)[..]).collect();
            Bytes::from([br#"{"resultados":["#, &results.join(&b","[..])[..], b"]}"].concat())
        };
        let (body, remembered) = (listed(|answer| &answer.body), listed(|answer| &answer.remembered));
        Ok(Answer { head: Head::of(http::StatusCode::OK), body, remembered })
    }
}

impl BatchStep {
    /// The input, with the fields of earlier answers.
    fn input(&self, answers: &[Answer]) -> Result<Json, Error> {
        let unknown = |reference: &str| {
            let text = format!("{:?} no nombra un dato de un resultado anterior", brief(reference));
            Error::new(Code::DatoInvalido).message(text)
        };
        let mut resolve = |reference: &str| named(reference, answers).ok_or_else(|| unknown(reference));
        let input = resolved(&self.input, &mut resolve)?;
        Json::parse(input.into()).map_err(|text| Error::new(Code::JsonInvalido).message(text))
    }
}

/// The JSON that `0.venta` names: a field of the first answer, or one within it.
fn named(reference: &str, answers: &[Answer]) -> Option<String> {
    let mut path = reference.split('.');
    let at = path.next().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse::<usize>().ok()?;
    let mut value: &str = std::str::from_utf8(&answers.get(at)?.body).ok()?;
    let mut path = path.peekable();
    path.peek()?;
    for name in path {
        let inner: &RawValue = if value.starts_with('[') {
            serde_json::from_str::<Vec<&RawValue>>(value).ok()?.get(name.parse::<usize>().ok()?)?
        } else {
            serde_json::from_str::<BTreeMap<String, &RawValue>>(value).ok()?.get(name)?
        };
        value = inner.get();
    }
    Some(value.to_owned())
}

/// An error of an action, whose text begins with the action's place.
fn placed(at: usize, error: Error) -> Error {
    let text = format!("acciones[{at}]: {}", error.mensaje());
    error.message(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_names_a_field_of_an_earlier_answer() {
        let answer = |body: &'static str| {
            let body = Bytes::from_static(body.as_bytes());
            Answer { head: Head::of(http::StatusCode::OK), remembered: body.clone(), body }
        };
        let answers = [answer(r#"{"venta":12,"saldo":"1.50"}"#), answer(r#"{"pagos":[{"pago":3},{"pago":4}]}"#)];
        for (reference, value) in [
            ("0.venta", Some("12")),
            ("0.saldo", Some("\"1.50\"")),
            ("1.pagos.1.pago", Some("4")),
            ("1.pagos.0", Some(r#"{"pago":3}"#)),
            ("2.venta", None),
            ("0", None),
            ("0.", None),
            ("0.cliente", None),
            ("0.venta.x", None),
            ("1.pagos.2", None),
            ("-1.venta", None),
            ("+0.venta", None),
            (".venta", None),
            ("", None),
            ("venta", None),
        ] {
            assert_eq!(named(reference, &answers).as_deref(), value, "{reference}");
        }
    }
}
