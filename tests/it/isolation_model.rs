//! Three companies in one database see what each would see alone.
//!
//! The same random operations run twice: by all companies in turns in one database, and by each
//! company alone in a database of its own. Claves count within a company, so all use the same ones,
//! and each uses many that only another has. All answers, lists and events must be equal, except
//! for random values.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use futures_util::future::join_all;
use http::Method;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use svc_core::stamping::SandboxStamper;
use svc_tests::lists::claves;
use svc_tests::{Actor, Resource, World, endpoints, fresh_key};

use crate::books::business::Business;
use crate::books::step::{Deed, steps};
use crate::delivery::answering;

const COMPANIES: usize = 3;
const STEPS: usize = 700;

/// The back-office actions that the business does not take.
const OFFICE: [&str; 8] = [
    "product.delete",
    "stock.move",
    "stock.reserve",
    "purchase.capture",
    "purchase.receive",
    "payable.capture",
    "opportunity.create",
    "opportunity.move",
];

#[derive(Debug, Clone)]
enum Act {
    /// Sales, invoices, payments, and time that passes.
    Business(Deed),
    /// A request of the API.
    Http(&'static str, String, Value),
    /// An action of the back office.
    Office(&'static str, Value),
    /// The workers do what is due for all companies.
    Work,
}

impl Act {
    fn kind(&self) -> String {
        match self {
            Self::Business(deed) => deed.name().to_owned(),
            Self::Http(method, path, _) => {
                let parts = path.split('/').map(|part| if part.parse::<i64>().is_ok() { "{}" } else { part });
                format!("{method} {}", parts.collect::<Vec<_>>().join("/"))
            }
            Self::Office(action, _) => (*action).to_owned(),
            Self::Work => "work".to_owned(),
        }
    }
}

/// The answers a company got, and what it sees in the end.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    answers: Vec<String>,
    /// How often each kind of act succeeded and was refused.
    tally: BTreeMap<String, (usize, usize)>,
    lists: BTreeMap<String, Vec<String>>,
    events: Vec<String>,
}

/// Takes `SVC_TEST_SEED` for another sequence.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn companies_side_by_side_see_what_each_would_see_alone() {
    let seed = std::env::var("SVC_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let acts = random_acts(seed);
    let who = |only: Option<usize>| run(&acts, only);
    let (together, alone) = tokio::join!(who(None), join_all((0..COMPANIES).map(|at| who(Some(at)))));
    let mut tally = BTreeMap::<String, (usize, usize)>::new();
    for (at, (side_by_side, mut alone)) in together.into_iter().zip(alone).enumerate() {
        let alone = alone.remove(at);
        for (mine, theirs) in side_by_side.answers.iter().zip(&alone.answers) {
            assert_eq!(mine, theirs, "company {at}");
        }
        for (list, rows) in &side_by_side.lists {
            assert_eq!(Some(rows), alone.lists.get(list), "company {at}: {list}");
        }
        assert_eq!(side_by_side, alone, "company {at}");
        for (kind, (done, refused)) in side_by_side.tally {
            let sum = tally.entry(kind).or_default();
            *sum = (sum.0 + done, sum.1 + refused);
        }
    }
    println!("done and refused: {tally:?}");
    // Other tests check the effects of business.
    let own = tally.iter().filter(|(kind, _)| kind.contains('/') || OFFICE.contains(&kind.as_str()));
    let never: Vec<_> = own.filter(|(_, (done, _))| *done == 0).map(|(kind, _)| kind).collect();
    assert!(never.is_empty(), "never done: {never:?}");
}

fn random_acts(seed: u64) -> Vec<(usize, Act)> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    // One company is larger than the others, so that it has claves that they lack.
    let company = select(vec![0_usize, 0, 0, 1, 1, 2]);
    let other = prop_oneof![3 => Just(None), 4 => http().prop_map(Some), 3 => office().prop_map(Some), 1 => Just(Some(Act::Work))];
    let acts = (steps(STEPS), prop::collection::vec((company, other), STEPS));
    let (steps, others) = acts.new_tree(&mut runner).expect("steps").current();
    let run_by_name = |(step, (company, other)): (crate::books::step::Step, (usize, Option<Act>))| {
        (company, other.unwrap_or(Act::Business(step.deed)))
    };
    steps.into_iter().zip(others).map(run_by_name).collect()
}

/// A clave that some company may have.
fn clave() -> impl Strategy<Value = i64> {
    prop_oneof![3 => 1..12_i64, 1 => 1..60_i64]
}

/// The API operations that the business does not use. Its first records are left alone, since it
/// relies on them.
fn http() -> impl Strategy<Value = Act> {
    let names = || select(vec!["Ana", "Bea", "Cid", "Eva"]);
    let rfcs = select(vec!["XIA190128J61", "EKU9003173C9", "XAXX010101000"]);
    let customer = (names(), rfcs, clave()).prop_map(|(nombre, rfc, vendedor)| {
        json!({"nombre": nombre, "rfc": rfc, "regimen": if rfc == "XAXX010101000" { 616 } else { 601 }, "vendedor": vendedor})
    });
    let customer =
        prop_oneof![customer, names().prop_map(|nombre| json!({"nombre": nombre, "correo": "a@example.com"}))];
    let product = clave().prop_map(|n| json!({"sku": format!("S-{n}"), "descripcion": format!("De {n}"), "unidad": 1}));
    let hook = select(vec!["cliente.creado", "venta.creada", "factura.timbrada", "producto.actualizado"])
        .prop_map(|tipo| json!({"url": "https://example.com/x", "eventos": [tipo]}));
    let post = |path: &'static str, body: BoxedStrategy<Value>| {
        body.prop_map(move |body| Act::Http("POST", path.to_owned(), body))
    };
    let hooks = |method: &'static str, path: &'static str, body: BoxedStrategy<Value>| {
        (1..5_i64, body).prop_map(move |(clave, body)| Act::Http(method, path.replace("{}", &clave.to_string()), body))
    };
    let on = |method: &'static str, path: &'static str, least: i64, body: BoxedStrategy<Value>| {
        (clave(), body)
            .prop_map(move |(clave, body)| Act::Http(method, path.replace("{}", &(clave + least).to_string()), body))
    };
    let none = || Just(Value::Null).boxed();
    let call = json!({"canal": "llamada", "resultado": "contactado", "cierre": "vendido"});
    prop_oneof![
        2 => post("/leads", names().prop_map(|nombre| json!({"nombre": nombre, "correo": format!("{nombre}@x.mx")})).boxed()),
        3 => post("/clientes", customer.boxed()),
        2 => on("PUT", "/clientes/{}", 3, names().prop_map(|nombre| json!({"nombre": nombre})).boxed()),
        2 => on("POST", "/clientes/{}/interacciones", 0, Just(call).boxed()),
        2 => post("/productos", product.boxed()),
        2 => on("PUT", "/productos/{}", 6, names().prop_map(|de| json!({"descripcion": de})).boxed()),
        2 => post("/webhooks", hook.boxed()),
        1 => hooks("PUT", "/webhooks/{}", any::<bool>().prop_map(|activo| json!({"activo": activo})).boxed()),
        1 => hooks("DELETE", "/webhooks/{}", none()),
        1 => hooks("POST", "/webhooks/{}/secreto", none()),
        2 => hooks("POST", "/webhooks/{}/probar", none()),
        4 => (1..4_i64, 1..15_i64).prop_map(|(hook, entrega)| {
            Act::Http("POST", format!("/webhooks/{hook}/entregas/{entrega}/reenviar"), Value::Null)
        }),
    ]
}

fn office() -> impl Strategy<Value = Act> {
    let order = |(proveedor, producto, cantidad): (i64, i64, i64)| {
        json!({"proveedor": proveedor,
               "renglones": [{"producto": producto, "cantidad": cantidad, "costo_unitario": "3.50"}]})
    };
    let stock =
        |(producto, cantidad): (i64, i64)| json!({"producto": producto, "almacen": "001", "cantidad": cantidad});
    let tipo = select(vec!["ajuste_entrada", "ajuste_salida", "compra"]);
    let opportunity = |(cliente, etapa): (i64, i64)| json!({"nombre": "Bodega", "etapa": etapa, "cliente": cliente});
    prop_oneof![
        clave().prop_map(|clave| Act::Office("product.delete", json!({"clave": clave + 6}))),
        (clave(), 1..9_i64, tipo).prop_map(move |(producto, cantidad, tipo)| {
            let mut input = stock((producto, cantidad));
            input["tipo"] = json!(tipo);
            Act::Office("stock.move", input)
        }),
        (clave(), -3..9_i64).prop_map(move |input| Act::Office("stock.reserve", stock(input))),
        (1..4_i64, 1..8_i64, 1..9_i64).prop_map(move |input| Act::Office("purchase.capture", order(input))),
        (1..9_i64).prop_map(|compra| Act::Office("purchase.receive", json!({"compra": compra}))),
        (clave(), 1..900_i64)
            .prop_map(|(compra, total)| { Act::Office("payable.capture", json!({"compra": compra, "total": total})) }),
        (1..900_i64).prop_map(|total| Act::Office("payable.capture", json!({"total": total}))),
        (1..6_i64, 1..5_i64).prop_map(move |input| Act::Office("opportunity.create", opportunity(input))),
        (1..9_i64, 1..4_i64).prop_map(|(oportunidad, etapa)| {
            Act::Office("opportunity.move", json!({"oportunidad": oportunidad, "etapa": etapa}))
        }),
    ]
}

/// Runs the acts in a database of all companies, or of one; returns what each saw. Time passes and
/// workers run at the same moments in all databases.
async fn run(acts: &[(usize, Act)], only: Option<usize>) -> Vec<Seen> {
    let world = World::new().await;
    let mut companies = Vec::new();
    for at in 0..COMPANIES {
        let is_there = only.is_none_or(|only| only == at);
        companies.push(if is_there { Some(open(&world).await) } else { None });
    }
    let mut seen: Vec<Seen> = (0..COMPANIES).map(|_| Seen::default()).collect();
    for (at, (company, run_by_name)) in acts.iter().enumerate() {
        // Events of one moment have no order.
        world.clock.advance(TimeDelta::seconds(1));
        match run_by_name {
            Act::Work => {
                world.stamp(&SandboxStamper).await;
                world.deliver(&answering::<200>()).await;
            }
            Act::Business(Deed::Wait(minutes)) => world.clock.advance(TimeDelta::minutes(i64::from(*minutes))),
            run_by_name => {
                if let Some((business, actor)) = &companies[*company] {
                    let (is_done, answer) = answer(business, actor, run_by_name).await;
                    let seen = &mut seen[*company];
                    let counts = seen.tally.entry(run_by_name.kind()).or_default();
                    *(if is_done { &mut counts.0 } else { &mut counts.1 }) += 1;
                    seen.answers.push(format!("{at} {run_by_name:?}: {answer}"));
                }
            }
        }
    }
    for (seen, company) in seen.iter_mut().zip(&companies) {
        let Some((business, actor)) = company else { continue };
        observe(business, actor, seen).await;
    }
    seen
}

async fn open(world: &World) -> (Business, Actor) {
    let business = Business::found(world).await;
    let suppliers = [json!({"nombre": "Uno"}), json!({"nombre": "Dos"})];
    business.company.load(Resource::Proveedores, &suppliers).await;
    let stage = |tipo: &str| json!({"nombre": tipo, "tipo": tipo});
    business.company.load(Resource::EtapasOportunidad, &["abierta", "abierta", "ganada", "perdida"].map(stage)).await;
    business.company.load(Resource::MotivosPerdida, &[json!({"nombre": "Precio"})]).await;
    let actor = business.company.admin().await;
    (business, actor)
}

/// Whether an act succeeded, and its answer.
async fn answer(business: &Business, actor: &Actor, run_by_name: &Act) -> (bool, String) {
    match run_by_name {
        Act::Business(deed) => match business.take(deed).await {
            Ok(()) => (true, String::new()),
            Err(codigo) => (false, codigo),
        },
        Act::Http(method, path, body) => {
            let method: Method = method.parse().expect("a method");
            let request = actor.request(method, path).header("Idempotency-Key", fresh_key());
            let body = if body.is_null() { String::new() } else { body.to_string() };
            let reply = actor.send(request.header("Content-Type", "application/json"), body).await;
            assert!(reply.status < 500, "{run_by_name:?}: {}", reply.json());
            (reply.status < 300, normalized(reply.json()))
        }
        Act::Office(action, input) => match business.company.run_by_name(action, input).await {
            Ok(output) => (true, normalized(output)),
            Err(error) => (false, error.to_string()),
        },
        Act::Work => unreachable!("the workers answer nobody"),
    }
}

/// Everything that a company can see.
async fn observe(business: &Business, actor: &Actor, seen: &mut Seen) {
    for list in endpoints().filter(|endpoint| endpoint.pages().is_some()) {
        // The lists below a record: below each existing record, and below some that only others
        // have.
        let (path, of) = match list.http.path {
            "/ventas-renglones" => ("/ventas-renglones?venta={}", "/ventas"),
            "/compras-renglones" => ("/compras-renglones?compra={}", "/compras"),
            "/movimientos-inventario" => ("/movimientos-inventario?clave={}", "/productos"),
            "/webhooks/{clave}/entregas" => ("/webhooks/{}/entregas", "/webhooks"),
            path => (path, ""),
        };
        let last = if of.is_empty() { 1 } else { claves(&actor.walk(of).await).last().copied().unwrap_or(0) + 3 };
        for clave in 1..=last {
            let path = path.replace("{}", &clave.to_string());
            if actor.get(&path).await.status == 404 {
                continue;
            }
            let mut rows = actor.walk(&path).await;
            if path == "/eventos" {
                // Documents are stamped several at once, and which is done first is chance.
                for event in &mut rows {
                    event["clave"] = Value::Null;
                }
                rows.sort_by_key(|event| (event["creado"].to_string(), event["datos"].to_string()));
            }
            seen.lists.insert(path, rows.into_iter().map(normalized).collect());
        }
    }
    let events = "SELECT jsonb_build_array(tipo, recurso_clave, convert_from(cuerpo, 'UTF8')::jsonb - 'empresa')::text
                  FROM emitidos WHERE empresa = $1 ORDER BY creado, tipo, recurso_clave, lugar";
    let pool = business.company.world.pool();
    let rows: Vec<String> =
        sqlx::query_scalar(events).bind(business.company.id.0).fetch_all(pool).await.expect("events");
    seen.events = rows.iter().map(|row| normalized(serde_json::from_str(row).expect("JSON"))).collect();
}

/// A value's text without what is random or counted over all companies: ids, secrets, the company's
/// name in this test.
fn normalized(mut value: Value) -> String {
    normalize(&mut value);
    value.to_string()
}

fn normalize(value: &mut Value) {
    match value {
        Value::String(text) => {
            let is_id = text.len() == 36 && text.split('-').count() == 5;
            if is_id || text.starts_with("whsec_") || text.starts_with("evt_") || text.starts_with("Empresa ") {
                "?".clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalize),
        Value::Object(fields) => fields.values_mut().for_each(normalize),
        _ => {}
    }
}
