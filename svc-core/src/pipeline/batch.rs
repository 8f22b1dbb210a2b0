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

/// Bytes of earlier answers that a batch may read, each answer once for each field named of it. It
/// limits the memory and the time that references take.
const READABLE: usize = 32 << 20;

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
        let mut readable = READABLE;
        for (at, step) in self.0.iter().enumerate() {
            let outcome = match step.input(&answers, &mut readable) {
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
    /// The input, with the fields of earlier answers. Each of them takes its answer's size off what
    /// the batch may still read.
    fn input(&self, answers: &[Answer], readable: &mut usize) -> Result<Json, Error> {
        let invalid = |text: String| Error::new(Code::DatoInvalido).message(text);
        let mut resolve = |reference: &str| {
            let unknown = || invalid(format!("{:?} no nombra un dato de un resultado anterior", brief(reference)));
            let (answer, path) = answer_of(reference, answers).ok_or_else(unknown)?;
            let left = readable.checked_sub(answer.len());
            *readable = left.ok_or_else(|| invalid("nombra demasiados datos de resultados anteriores".to_owned()))?;
            within(answer, path).map(str::to_owned).ok_or_else(unknown)
        };
        let input = resolved(&self.input, &mut resolve)?;
        Json::parse(input.into()).map_err(|text| Error::new(Code::JsonInvalido).message(text))
    }
}

/// The answer that `0.venta` is about, and the path of the field in it.
fn answer_of<'a, 'r>(reference: &'r str, answers: &'a [Answer]) -> Option<(&'a str, &'r str)> {
    let (at, path) = reference.split_once('.')?;
    let at = Some(at).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse::<usize>().ok()?;
    Some((std::str::from_utf8(&answers.get(at)?.body).ok()?, path))
}

/// The JSON of a field of an answer, or of one within it.
fn within<'a>(answer: &'a str, path: &str) -> Option<&'a str> {
    let mut value = answer;
    for name in path.split('.') {
        let inner: &RawValue = if value.starts_with('[') {
            serde_json::from_str::<Vec<&RawValue>>(value).ok()?.get(name.parse::<usize>().ok()?)?
        } else {
            serde_json::from_str::<BTreeMap<String, &RawValue>>(value).ok()?.get(name)?
        };
        value = inner.get();
    }
    Some(value)
}

/// An error of an action, whose text begins with the action's place.
fn placed(at: usize, error: Error) -> Error {
    let text = format!("acciones[{at}]: {}", error.mensaje());
    error.message(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: impl Into<Bytes>) -> Answer {
        let body = body.into();
        Answer { head: Head::of(http::StatusCode::OK), remembered: body.clone(), body }
    }

    #[test]
    fn a_reference_names_a_field_of_an_earlier_answer() {
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
            let named = answer_of(reference, &answers).and_then(|(answer, path)| within(answer, path));
            assert_eq!(named, value, "{reference}");
        }
    }
}
