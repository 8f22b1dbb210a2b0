//! The description's schemas are as tight as the code: a value just outside of what a field's
//! schema says is refused and names the field; one just inside is not refused for that field.
//!
//! The table is the OpenAPI document itself, so a constraint is tested as soon as it is described.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use svc_core::operation::{Http, Registry};
use svc_core::{Language, openapi};
use svc_tests::{Actor, Company, Reply, Resource, World};

use super::{a_minute_later, bodied, call, company, lists, path, sample};

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| openapi(Language::English, "/api/v1"));

static OFFICE: LazyLock<Value> = LazyLock::new(|| Registry::default().office_openapi(Language::English, "/api/v1"));

/// What is inside of a constraint, and what is outside.
#[derive(Default)]
struct Probe {
    inside: Vec<Value>,
    outside: Vec<Value>,
}

fn resolved(document: &'static Value, schema: &'static Value) -> &'static Value {
    schema["$ref"].as_str().and_then(|target| document.pointer(&target[1..])).unwrap_or(schema)
}

fn is(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::Array(types) => types.iter().any(|one| one == name),
        one => one == name,
    }
}

fn number(literal: &str) -> Value {
    serde_json::from_str(literal).expect("a number")
}

/// Values of texts in the forms that patterns describe.
const FORMS: &[&str] = &[
    "601",
    "06700",
    "1160.00",
    "0.5",
    "1",
    "30102400",
    "XIA190128J61",
    "MOCE940506VF4",
    "https://ejemplo.mx/x",
    "XX",
    "xia190128j61",
    "99999999999999999999",
    "-1",
    "1.1234567",
    "12345678901234567890.00",
    "XIA191328J61",
    "XIA1901J61",
    "http://ejemplo.mx/x",
    "1,5",
    "0",
    "0.00",
    "1e3",
    "1.001",
    "a",
];

impl Probe {
    fn of(schema: &Value) -> Self {
        let mut probe = Self::default();
        let valid = jsonschema::draft202012::options().should_validate_formats(true).build(schema).expect("a schema");
        let mut sort = |value: Value| {
            let side = if valid.is_valid(&value) { &mut probe.inside } else { &mut probe.outside };
            side.push(value);
        };
        if let Some(words) = schema["enum"].as_array() {
            words.iter().filter(|word| !word.is_null()).for_each(|word| sort(word.clone()));
            sort(if is(schema, "integer") { json!(987_654) } else { json!("ZZZ") });
        }
        if is(schema, "string") && schema["enum"].is_null() && schema["format"] != "date-time" {
            let lengths = [&schema["minLength"], &schema["maxLength"]].into_iter().filter_map(Value::as_u64);
            let around = lengths.flat_map(|length| [length.saturating_sub(1), length, length + 1]);
            around.filter(|length| *length > 0).for_each(|length| sort(json!("9".repeat(length as usize))));
            if schema["pattern"].is_string() {
                for form in FORMS {
                    sort(json!(form));
                }
            }
            if schema["format"] == "date" {
                for day in ["2026-10-12", "2026-02-30", "12/10/2026", "2026-10-12T00:00:00Z"] {
                    sort(json!(day));
                }
            }
        }
        if is(schema, "integer") || is(schema, "number") {
            let bounds =
                ["minimum", "maximum", "exclusiveMinimum"].into_iter().filter_map(|name| schema[name].as_i64());
            bounds.flat_map(|bound| [bound - 1, bound, bound + 1]).for_each(|bound| sort(json!(bound)));
            sort(number("1.5"));
            sort(json!(true));
        }
        if schema["items"].is_object() {
            sort(json!([]));
            let max = schema["maxItems"].as_u64().filter(|max| *max < 1_000);
            let item = &schema["items"]["enum"][0];
            if let (Some(max), false) = (max, item.is_null()) {
                sort(json!(vec![item; max as usize + 1]));
            }
        }
        sort(json!({ "a": 1 }));
        probe
    }
}

/// Whether a reply refuses exactly this field.
fn blames(reply: &Reply, at: &str) -> bool {
    reply.status >= 400 && {
        let said = reply.mensaje();
        let codigo = reply.json()["error"]["codigo"].as_str().unwrap_or_default().to_owned();
        let name = at.rsplit('.').next().unwrap_or(at);
        let within = [": ", "[", "."].iter().any(|next| said.starts_with(&format!("{at}{next}")));
        within || names(&codigo, name)
    }
}

/// Whether a code is about the field by its own name: `rfc_invalido` about `rfc`.
fn names(codigo: &str, field: &str) -> bool {
    let stem = match field {
        "iva_venta" | "iva_compra" => "iva",
        "forma_pago_sat" => "forma_pago",
        "metodo_pago_sat" => "metodo_pago",
        "eventos" => "evento",
        other => other,
    };
    codigo.starts_with(stem) && codigo.contains("invalid") || codigo == format!("{stem}_no_valido")
}

/// What a field needs beside it, so that only the field itself is at fault.
const BESIDE: &[(&str, &str, &str)] = &[
    ("proximo_texto", "proximo_fecha", "\"2026-10-20\""),
    ("tipo_cambio", "moneda", "\"USD\""),
    ("moneda", "tipo_cambio", "\"17.5\""),
    ("descuento", "precio_unitario", "\"99999999.00\""),
];

/// An object of a list that no example has.
const WITHIN: &[(&str, &str)] = &[("impuestos_locales", r#"{"tipo":"traslado","nombre":"ISH","tasa":"0.03"}"#)];

/// What a field of an action needs beside it.
const BESIDE_IN: &[(&str, &str, &str)] = &[
    ("invoice.cancel", "uuid_sustitucion", r#"{"motivo": "01"}"#),
    ("order.invoice", "forma_pago_sat", r#"{"venta": 2, "metodo_pago_sat": "PUE"}"#),
    ("order.invoice", "uso_cfdi", r#"{"venta": 2}"#),
    ("payment.apply", "importe", r#"{"cxc": 1}"#),
    ("purchase.capture", "moneda", r#"{"renglones": [{"sku": "A", "cantidad": 1, "costo_unitario": "1.00"}]}"#),
    ("account.edit", "agrupador", r#"{"cuenta": "GAS", "nombre": "Gasolina"}"#),
];

/// Fields of actions that no schema describes completely: they depend on other fields, the company
/// or the day, or on a table too long to be listed.
const DEPENDS: &[(&str, &str)] = &[
    ("account.edit", "cuenta"),
    ("advance.capture", "retencion_isr"),
    ("advance.capture", "retencion_iva"),
    ("deposit.capture", "tipo_cambio"),
    ("favour.refund", "moneda"),
    ("invoice.global", "periodicidad"),
    ("invoice.global", "mes"),
    ("invoice.global", "año"),
    ("invoice.stamped", "xml"),
    ("invoice.stamped", "uuid"),
    ("ledger.close-year", "ejercicio"),
    ("ledger.entries", "cursor"),
    ("payable.capture", "iva"),
    ("payable.capture", "ieps"),
    ("payable.capture", "retencion_isr"),
    ("payable.capture", "retencion_iva"),
    ("payable.edit", "iva"),
    ("payable.edit", "ieps"),
    ("payable.edit", "retencion_isr"),
    ("payable.edit", "retencion_iva"),
    ("payable.pay", "tipo_cambio"),
    ("unit.edit", "clave_sat"),
];

/// The fields of an action's example that it cannot do without.
fn least(content: &'static Value) -> Map<String, Value> {
    let required = resolved(&OFFICE, &content["schema"])["required"].as_array();
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| (name.to_owned(), content["example"][name].clone())).collect()
}

/// Puts a value into a field of a body, and beside it what that needs; returns the field's name in
/// messages.
fn put(body: &mut Value, fields: &[&str], value: &Value) -> String {
    let (at, place) = match fields {
        [field] => ((*field).to_owned(), &mut body[*field]),
        [list, field] => (format!("{list}[0].{field}"), &mut body[*list][0][*field]),
        [list, inner, field] => {
            let (_, given) = WITHIN.iter().find(|(name, _)| name == inner).expect("an object of that list");
            let objects = &mut body[*list][0][*inner];
            *objects = json!([serde_json::from_str::<Value>(given).expect("JSON")]);
            (format!("{list}[0].{inner}[0].{field}"), &mut objects[0][*field])
        }
        _ => panic!("{fields:?}"),
    };
    *place = value.clone();
    let last = fields.last().expect("a field");
    for (_, beside, given) in BESIDE.iter().filter(|(field, ..)| field == last) {
        let object = if fields.len() == 2 { &mut body[fields[0]][0] } else { &mut *body };
        object[*beside] = serde_json::from_str(given).expect("JSON");
    }
    at
}

/// Sends the example of an operation with this value in a field.
async fn send(ana: &Actor, spec: &Http, fields: &[&str], value: &Value) -> (Reply, String) {
    let mut body = sample(spec);
    let at = put(&mut body, fields, value);
    // A sale is invoiced once, and only then are its terms compared.
    let clave = if spec.path.ends_with("/facturar") { quote(ana).await } else { 1 };
    if spec.path.ends_with("/facturar") && fields.last() == Some(&"forma_pago_sat") {
        body["metodo_pago_sat"] = json!("PUE");
    }
    (call(ana, spec, &path(spec, &clave.to_string()), &body).await, at)
}

/// What was sent, and what was answered otherwise than its schema says.
#[derive(Default)]
struct Found {
    sent: u32,
    faults: Vec<String>,
}

impl Found {
    /// Probes the fields of an object of a document. `send` sends a body with a value in a field.
    async fn probe(
        &mut self,
        name: &str,
        document: &'static Value,
        schema: &'static Value,
        within: &[&str],
        send: &impl AsyncFn(&[&str], &Value) -> (Reply, String),
    ) {
        for (field, schema) in resolved(document, schema)["properties"].as_object().into_iter().flatten() {
            let fields: Vec<&str> = within.iter().copied().chain([field.as_str()]).collect();
            if schema["items"]["$ref"].is_string() {
                Box::pin(self.probe(name, document, &schema["items"], &fields, send)).await;
            }
            let mut alone = schema.clone();
            alone["components"] = document["components"].clone();
            let Probe { inside, outside } = Probe::of(&alone);
            for (values, is_inside) in [(inside, true), (outside, false)] {
                for value in values {
                    let (reply, at) = send(&fields, &value).await;
                    self.sent += 1;
                    let blamed = blames(&reply, &at);
                    let refused = if is_inside { reply.status == 400 && blamed } else { blamed };
                    let depends = DEPENDS.contains(&(name, field));
                    if refused == is_inside && !depends || reply.status >= 500 {
                        let said = if is_inside { "is refused, though its schema allows it" } else { "is not refused" };
                        let answer = format!("{} {}", reply.status, reply.mensaje());
                        self.faults.push(format!("{name} {at} = {value:.60} {said}: {answer}"));
                    }
                }
            }
        }
    }

    #[track_caller]
    fn is_nothing(&self, of_at_least: u32) {
        let Self { sent, faults } = self;
        assert!(faults.is_empty(), "{}\n{} of {sent}", faults.join("\n"), faults.len());
        assert!(*sent > of_at_least, "{sent}");
    }
}

/// Makes the records that the examples name: customer, product, bank account, webhook, receivable.
async fn stock(company: &Company, ana: &Actor) {
    company.load_certificate().await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Operación"})]).await;
    for route in ["/webhooks", "/clientes", "/productos"] {
        let spec = bodied().find(|spec| spec.path == route).expect("an operation");
        call(ana, spec, route, &sample(spec)).await.ok(201);
    }
    let clave = quote(ana).await;
    ana.post(&format!("/ventas/{clave}/facturar"), json!({"forma_pago_sat": "99", "metodo_pago_sat": "PPD"}))
        .await
        .ok(202);
}

/// A quote that lacks all that an invoice may add.
async fn quote(ana: &Actor) -> i64 {
    let quote = json!({"tipo": "cotizacion", "cliente": 1,
                       "renglones": [{"sku": "LAM-30", "cantidad": 1, "precio_unitario": "100.00"}]});
    ana.post("/ventas", quote).await.ok(201)["venta"].as_i64().expect("a quote")
}

#[tokio::test]
async fn a_body_is_refused_where_its_schema_ends() {
    let world = World::new().await;
    let company = company(&world).await;
    let ana = company.admin().await;
    stock(&company, &ana).await;
    let mut found = Found::default();
    for spec in bodied() {
        let schema = &DOCUMENT["paths"][spec.path][spec.method.name().to_lowercase()]["requestBody"]["content"]["application/json"]
            ["schema"];
        found
            .probe(spec.path, &DOCUMENT, schema, &[], &async |fields, value| send(&ana, spec, fields, value).await)
            .await;
        a_minute_later(&world);
    }
    found.is_nothing(500);
}

#[tokio::test]
async fn an_action_s_input_is_refused_where_its_schema_ends() {
    let world = World::new().await;
    let company = company(&world).await;
    let ana = company.admin().await;
    stock(&company, &ana).await;
    quote(&ana).await;
    company.load(Resource::Productos, &[json!({"sku": "A", "descripcion": "Tornillo"})]).await;
    company.load(Resource::Precios, &[json!({"producto": 1, "lista": 1, "precio": "1.00"})]).await;
    let office = company.office().await;
    office.run("payable.capture", &json!({"total": "116.00"})).await.ok(200);
    let mut found = Found::default();
    for (path, ways) in OFFICE["paths"].as_object().expect("paths") {
        let content = &ways["post"]["requestBody"]["content"]["application/json"];
        let Some(action) = path.strip_prefix('/').filter(|name| name.contains('.') && content.is_object()) else {
            continue;
        };
        // Nothing remains of a rehearsal, so that each finds the same records.
        let send = async |fields: &[&str], value: &Value| {
            let mut input = least(content);
            let beside = BESIDE_IN.iter().filter(|(of, field, _)| *of == action && [*field] == fields);
            for beside in beside.map(|(.., beside)| serde_json::from_str::<Map<_, _>>(beside).expect("JSON")) {
                input.extend(beside);
            }
            let mut input = input.into();
            let at = put(&mut input, fields, value);
            let known = resolved(&OFFICE, &content["schema"])["properties"].as_object().expect("fields");
            input.as_object_mut().expect("an object").retain(|field, _| known.contains_key(field));
            let request = office.json(action).header("X-Svc-Ensayo", "true");
            (office.send(request, input.to_string()).await, at)
        };
        found.probe(action, &OFFICE, &content["schema"], &[], &send).await;
        a_minute_later(&world);
    }
    found.is_nothing(1_000);
}

/// A text of a query, each byte encoded.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |encoded, byte| format!("{encoded}%{byte:02X}"))
}

#[tokio::test]
async fn a_filter_is_refused_where_its_schema_ends() {
    let world = World::new().await;
    let ana = super::reader(company(&world).await).await;
    let mut found = Found::default();
    for list in lists() {
        for parameter in DOCUMENT["paths"][list.http.path]["get"]["parameters"].as_array().expect("parameters") {
            let parameter = resolved(&DOCUMENT, parameter);
            let name = parameter["name"].as_str().expect("a name");
            if parameter["in"] != "query" || name == "cursor" {
                continue;
            }
            let Probe { inside, outside } = Probe::of(&parameter["schema"]);
            for (values, is_inside) in [(inside, true), (outside, false)] {
                for value in values.iter().filter(|value| !value.is_object() && !value.is_array()) {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let encoded = encoded(&text);
                    let target = format!("{}?{name}={encoded}", path(list.http, "1"));
                    let reply = ana.get(&target).await;
                    found.sent += 1;
                    let refused = reply.status == 400
                        && (reply.mensaje().starts_with(&format!("{name}: "))
                            || reply.json()["error"]["codigo"] == "limite_invalido");
                    if refused == is_inside {
                        found.faults.push(format!("{target:.120}: {} {}", reply.status, reply.mensaje()));
                    }
                }
            }
        }
        a_minute_later(&world);
    }
    found.is_nothing(300);
}
