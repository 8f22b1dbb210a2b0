//! Whatever a client with a valid key sends, it gets a well-formed answer that is never a 500.

use std::cell::RefCell;
use std::collections::BTreeSet;

use bytes::Bytes;
use chrono::TimeDelta;
use http::{HeaderName, HeaderValue, Method, Request, Uri};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;
use svc_tests::{Actor, Reply, Resource, World, fresh_key, values};
use svc_tests::{Endpoint, endpoints};

use super::company;

const CASES: u32 = 3_000;

#[derive(Debug, Clone)]
struct Case {
    method: &'static str,
    path: Vec<u8>,
    query: Vec<u8>,
    headers: Vec<(&'static str, Vec<u8>)>,
    body: Vec<u8>,
}

#[test]
fn no_client_input_causes_a_500() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let world = runtime.block_on(World::new());
    let ana = runtime.block_on(selling(&world));
    let webhook = json!({"url": "https://example.com/x", "eventos": ["venta.creada"]});
    runtime.block_on(ana.post("/webhooks", webhook)).ok(201);
    let seen = RefCell::new(BTreeSet::new());
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&case(), |case| {
        world.clock.advance(TimeDelta::seconds(1));
        let reply = runtime.block_on(Reply::of(&world.api, request(&ana, &case)));
        prop_assert!(reply.status < 500, "{}", reply.json());
        seen.borrow_mut().insert(reply.status);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    // Enough requests passed authentication and validation.
    let seen = seen.into_inner();
    assert!(seen.is_superset(&BTreeSet::from([200, 201, 202, 400, 404, 405, 415, 422])), "{seen:?}");
}

/// A user of a company that can sell and invoice.
async fn selling(world: &World) -> Actor {
    let company = company(world).await;
    company.load_certificate().await;
    let customers = [json!({"nombre": "Ana", "rfc": "XIA190128J61", "regimen": 601, "cp": "06700", "uso_cfdi": "G03",
                            "limite_credito": "10000.00"})];
    let products = [json!({"sku": "A-1"}), json!({"sku": "B-2", "tipo": "virtual_con_precio"})];
    for (resource, records) in [(Resource::Clientes, &customers[..]), (Resource::Productos, &products)] {
        assert_eq!(company.import(resource, records).await, Ok(records.len() as u64));
    }
    company.admin().await
}

/// The request, with the key of `actor`.
fn request(actor: &Actor, case: &Case) -> Request<Bytes> {
    let mut target = case.path.clone();
    if !case.query.is_empty() {
        target.push(b'?');
        target.extend(&case.query);
    }
    // Invalid URIs are percent-encoded.
    let uri = Uri::try_from(target.as_slice()).unwrap_or_else(|_| escaped(&target).parse().expect("a URI"));
    let uri = if uri.path().is_empty() { Uri::from_static("/") } else { uri };
    let mut request = actor
        .request(Method::from_bytes(case.method.as_bytes()).expect("a method"), "/")
        .uri(uri)
        .header("Idempotency-Key", fresh_key())
        .header("Content-Type", "application/json")
        .body(Bytes::copy_from_slice(&case.body))
        .expect("a request");
    for (name, value) in &case.headers {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            request.headers_mut().insert(HeaderName::from_static(name), value);
        }
    }
    request
}

fn escaped(target: &[u8]) -> String {
    let escape = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'?' | b'=' | b'&' => char::from(*byte).to_string(),
        other => format!("%{other:02X}"),
    };
    target.iter().map(escape).collect()
}

fn case() -> impl Strategy<Value = Case> {
    let headers = prop_oneof![3 => Just(Vec::new()), 1 => vec(header(), 1..3)];
    (route(), query(), any::<bool>(), headers, body()).prop_map(|((method, path), query, has_query, headers, body)| {
        let query = if method == "GET" || has_query { query } else { Vec::new() };
        Case { method, path, query, headers, body }
    })
}

fn route() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let operation = || (select(endpoints().collect::<Vec<_>>()), clave());
    let other = || select(vec!["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"]);
    let path = |endpoint: &Endpoint, clave: &str| {
        let parts = endpoint.http.path.split('/').map(|part| if part.starts_with('{') { clave } else { part });
        parts.collect::<Vec<_>>().join("/").into_bytes()
    };
    let sale = select(vec!["/ventas", "/ventas/{}/facturar"]);
    prop_oneof![
        2 => (sale, 1..20_i64).prop_map(|(path, clave)| ("POST", path.replace("{}", &clave.to_string()).into_bytes())),
        12 => operation().prop_map(move |(endpoint, clave)| (endpoint.http.method.name(), path(&endpoint, &clave))),
        1 => (other(), operation()).prop_map(move |(method, (endpoint, clave))| (method, path(&endpoint, &clave))),
        1 => (other(), vec(any::<u8>(), 0..40)).prop_map(|(method, path)| (method, [b"/".to_vec(), path].concat())),
    ]
}

fn clave() -> impl Strategy<Value = String> {
    prop_oneof![6 => (0..40_i64).prop_map(|n| n.to_string()), 2 => any::<i64>().prop_map(|n| n.to_string()), 1 => "[!-~]{1,20}"]
}

fn query() -> impl Strategy<Value = Vec<u8>> {
    let pair =
        (select(filters_with_values()), prop_oneof![2 => Just(None), 2 => vec(any::<u8>(), 0..30).prop_map(Some)])
            .prop_map(|((name, sample), random)| match random {
                None => format!("{name}={sample}").into_bytes(),
                Some(bytes) => [name.into_bytes(), b"=".to_vec(), escaped(&bytes).into_bytes()].concat(),
            });
    prop_oneof![
        2 => Just(Vec::new()),
        4 => vec(pair, 1..4).prop_map(|pairs| pairs.join(&b'&')),
        1 => vec(any::<u8>(), 0..60),
    ]
}

/// The filters of every list, each with an accepted value.
fn filters_with_values() -> Vec<(String, String)> {
    let described = endpoints().flat_map(|endpoint| endpoint.filters());
    let mut names: Vec<_> = described.map(|filter| (filter.name.to_owned(), values::sample(filter.takes))).collect();
    names.extend([("limite".to_owned(), "7".to_owned()), ("cursor".to_owned(), "AAAA".to_owned())]);
    names
}

fn header() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let names = vec![
        "content-type",
        "content-length",
        "idempotency-key",
        "accept",
        "expect",
        "host",
        "cookie",
        "transfer-encoding",
        "content-encoding",
        "x-http-method-override",
        "x-svc-peticion",
        "x-svc-key-id",
        "authorization",
    ];
    (select(names), prop_oneof![vec(any::<u8>(), 0..40), "[ -~]{0,40}".prop_map(String::into_bytes)])
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let plausible = [
        ["rfc", "\"EKU9003173C9\""],
        ["regimen", "601"],
        ["uso_cfdi", "\"G03\""],
        ["cp", "\"99999\""],
        ["pais", "-1"],
        ["empresa", "\"Ñandú\""],
        ["telefono", "\"+52 (55) 1234-5678\""],
        ["vendedor", "1"],
        ["vendedor", "-1"],
        ["url", "\"https://example.com/x\""],
        ["url", "\"https://xn--0.mx/\""],
        ["eventos", "[\"venta.creada\"]"],
        ["activo", "false"],
    ];
    let plausible = select(plausible.to_vec()).prop_map(|[name, value]| (quoted(name), value.to_owned()));
    prop_oneof![
        1 => vec(any::<u8>(), 0..200),
        1 => any_json().prop_map(String::into_bytes),
        4 => vec((field(), any_json()), 0..6).prop_map(|members| object(&members).into_bytes()),
        4 => vec(plausible, 0..3).prop_map(|mut members| {
            members.push((quoted("nombre"), quoted("Ana")));
            object(&members).into_bytes()
        }),
        4 => sale().prop_map(String::into_bytes),
        2 => select(vec![Vec::new(), b"{}".to_vec()]),
    ]
}

/// A sales document that is almost valid.
fn sale() -> impl Strategy<Value = String> {
    let member = |name: &'static str, values: &'static [&'static str]| {
        select(values.to_vec()).prop_map(move |value| (quoted(name), value.to_owned()))
    };
    let amounts =
        &["0", "1", "0.01", "1.005", "\"33.333333\"", "999999999999999999", "\"999999999999999999.999999\"", "-1"];
    let line = (
        member("producto", &["1", "2", "2", "99"]),
        member("cantidad", &["1", "0.000001", "999999999999999", "999999999999999.999999", "0"]),
        member("precio_unitario", amounts),
        proptest::option::of(member("descuento", amounts)),
    );
    let line = line.prop_map(|(producto, cantidad, precio, descuento)| {
        object(&[producto, cantidad, precio].into_iter().chain(descuento).collect::<Vec<_>>())
    });
    let terms = select(vec![
        "",
        ",\"forma_pago_sat\":\"03\",\"metodo_pago_sat\":\"PUE\"",
        ",\"condicion_pago\":\"credito\",\"forma_pago_sat\":\"99\",\"metodo_pago_sat\":\"PPD\"",
        ",\"moneda\":\"USD\",\"tipo_cambio\":999999999999.999999",
        ",\"moneda\":\"EUR\",\"tipo_cambio\":\"0.000001\",\"forma_pago_sat\":\"03\",\"metodo_pago_sat\":\"PUE\"",
    ]);
    (member("tipo", &["\"pedido\"", "\"cotizacion\""]), vec(line, 1..4), terms).prop_map(|((_, tipo), lines, terms)| {
        format!("{{\"tipo\":{tipo},\"cliente\":1,\"renglones\":[{}]{terms}}}", lines.join(","))
    })
}

fn field() -> impl Strategy<Value = String> {
    let known = [
        "nombre",
        "empresa",
        "rfc",
        "regimen",
        "uso_cfdi",
        "cp",
        "correo",
        "telefono",
        "movil",
        "calle",
        "colonia",
        "pais",
        "mensaje",
        "vendedor",
        "sku",
        "descripcion",
        "unidad",
        "costo",
        "tipo",
        "canal",
        "resultado",
        "fecha",
        "proximo_fecha",
        "cierre",
        "cliente",
        "renglones",
        "importe",
        "referencia",
        "url",
        "eventos",
        "activo",
    ];
    prop_oneof![9 => select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
        .prop_map(|name| quoted(&name))
}

/// The text of any JSON value, and some texts that are none.
fn any_json() -> impl Strategy<Value = String> {
    let words = [
        "null",
        "true",
        "\"\"",
        "\" \"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\ud83d\\ude00\"",
        "172",
        "601",
        "-1",
        "1e400",
        "1e-400",
        "-0",
        "1E+3",
        "9223372036854775807",
        "9223372036854775808",
        "0.1234567",
        "\"XAXX010101000\"",
        "\"EKU9003173C9\"",
        "\"G03\"",
        "\"S01\"",
        "\"01000\"",
        "\"99999\"",
        "\"2026-10-12\"",
        "\"a@example.com\"",
        "\"\u{202e}\u{fdfa}\u{1f468}\u{200d}\"",
    ];
    let leaf = prop_oneof![
        5 => select(words.to_vec()).prop_map(str::to_owned),
        2 => any::<String>().prop_map(|text| quoted(&text)),
        1 => "-?[1-9][0-9]{0,40}(\\.[0-9]{1,40})?([eE][+-]?[0-9]{1,20})?",
        1 => (1..6_000_usize).prop_map(|length| quoted(&"ñ".repeat(length))),
    ];
    leaf.prop_recursive(5, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            vec((field(), inner), 0..4).prop_map(|members| object(&members)),
        ]
    })
}

fn object(members: &[(String, String)]) -> String {
    let members: Vec<_> = members.iter().map(|(name, value)| format!("{name}:{value}")).collect();
    format!("{{{}}}", members.join(","))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
