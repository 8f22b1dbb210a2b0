//! The same rows twice, as one company's and as ten thousand companies': what an operation costs
//! must depend on neither.

use std::time::{Duration, Instant};

use http::Method;
use serde_json::{Value, json};
use svc_core::clean_up;
use svc_core::domain::clock::{Clock as _, mexico_date};
use svc_core::domain::company::{CompanyId, LimitMode};
use svc_core::store::CompanyChange;
use svc_tests::receiver::Receiver;
use svc_tests::{Actor, Company, Resource, World, cpu, fresh_key};
use tokio::time::sleep;

use crate::fill::Within;
use crate::service::{Client, Service};
use crate::{Case, WINDOW, backlog, companies, fill, sized, start, webhooks, world};

/// The copies of the template: companies, or parts of the one company.
const COPIES: i64 = 10_000;

/// The rows of the template.
const CUSTOMERS: i64 = 100;
const PRODUCTS: i64 = 20;
const SALES: i64 = 100;
const MOVEMENTS: i64 = 1_000;

/// How far apart the claves of two copies of a record are.
const APART: i64 = 10_000;

/// Tables whose rows are copied, and the columns that hold claves of such rows.
const TABLES: [&str; 4] = ["clientes", "ventas", "ventas_renglones", "movimientos_inventario"];
const CLAVES: [&str; 4] = ["clave", "folio", "cliente", "venta"];

/// How often each operation is asked for; the median counts.
const TIMES: usize = 300;

/// Due deliveries, and old answers to be removed.
const DUE: i64 = 20_000;
const OLD: i64 = 1_000_000;

/// More time than a server's first clean-up takes.
const FIRST_CLEAN_UP: Duration = Duration::from_secs(10);

/// A page without records, which would cost less.
const EMPTY: &[u8] = b"\"datos\":[]";

/// Leaves nothing to do for autovacuum, whose time would count as the service's.
const VACUUM: &str = "VACUUM";

const LEDGER: &str = "
    INSERT INTO movimientos_inventario (empresa, clave, fecha, tipo, producto, sku, cantidad, existencia_anterior,
        existencia_actual, almacen, venta, costo_unitario, importe, referencia)
    SELECT {empresa}, n, now(), 'venta', p, 'P-' || p, 1, 100, 99, '001', n / 10 + 1, 10, 10, 'R-' || n
    FROM generate_series(1::bigint, {count}) n, LATERAL (SELECT n % {products} + 1) x (p)";

pub(crate) async fn case(case: &Case) {
    let copies = sized(COPIES);
    case.figure("customers · movements, in either", format!("{} · {}", copies * CUSTOMERS, copies * MOVEMENTS));
    let one = one(copies).await;
    let many = many(copies).await;
    for ((what, one), (_, many)) in one.into_iter().zip(many) {
        case.figure(what, format!("{one:.2} · {many:.2}, ratio {:.2}", one / many));
    }
}

type Figures = Vec<(&'static str, f64)>;

/// One company with everything.
async fn one(copies: i64) -> Figures {
    let world = world().await;
    let (template, actor) = template(&world).await;
    let (dropped, made) = fill::indexes(world.pool(), &TABLES).await;
    let within = Within { tables: &TABLES, claves: &CLAVES, apart: APART, days: copies };
    let rows = fill::multiplying(&template, &within, copies - 1).await;
    fill::unchecked(world.pool(), [dropped, rows, made, vec![VACUUM.to_owned()]].concat()).await;
    measure(&world, &[(template, actor)]).await
}

/// Many companies with what the template has.
async fn many(copies: i64) -> Figures {
    let world = world().await;
    let (template, actor) = template(&world).await;
    let (dropped, made) = fill::indexes(world.pool(), &TABLES).await;
    fill::unchecked(world.pool(), dropped).await;
    let others = fill::copies(&template, copies - 1).await;
    fill::unchecked(world.pool(), [made, vec![VACUUM.to_owned()]].concat()).await;
    let of = |company: &i64| (Company { id: CompanyId(*company), ..template.clone() }, companies::of(&actor, *company));
    let all: Vec<_> = others.iter().map(of).collect();
    measure(&world, &all).await
}

async fn template(world: &World) -> (Company, Actor) {
    let limits = CompanyChange { limites: Some(Some(LimitMode::Notice)), ..CompanyChange::default() };
    let company = world.company_with(limits).await;
    let list = |count, record: &dyn Fn(i64) -> Value| (1..=count).map(record).collect::<Vec<_>>();
    let product = |n| json!({"clave": n, "sku": format!("P-{n}"), "descripcion": format!("Producto {n}")});
    company.load(Resource::Productos, &list(PRODUCTS, &product)).await;
    company
        .load(
            Resource::Inventario,
            &list(PRODUCTS, &|n| json!({"producto": n, "almacen": "001", "existencia": 100_000})),
        )
        .await;
    let customer = |n| json!({"clave": n, "nombre": format!("Cliente {n}"), "correo": format!("c{n}@example.com")});
    company.load(Resource::Clientes, &list(CUSTOMERS, &customer)).await;
    let now = world.clock.now();
    let sale = |n| {
        json!({"clave": n, "tipo": "venta", "folio": n, "fecha": now, "cliente": n % CUSTOMERS + 1,
               "subtotal": "100.00", "impuestos": "16.00", "total": "116.00", "saldo": "0.00"})
    };
    company.load(Resource::Ventas, &list(SALES, &sale)).await;
    let line =
        |n| json!({"clave": n, "venta": n, "producto": n % PRODUCTS + 1, "cantidad": 1, "precio_unitario": "100.00"});
    company.load(Resource::VentasRenglones, &list(SALES, &line)).await;
    let ledger = LEDGER.replace("{empresa}", &company.id.0.to_string());
    let ledger = ledger.replace("{count}", &MOVEMENTS.to_string()).replace("{products}", &PRODUCTS.to_string());
    fill::unchecked(world.pool(), vec![ledger]).await;
    let actor = company.admin().await;
    (company, actor)
}

async fn measure(world: &World, companies: &[(Company, Actor)]) -> Figures {
    let service = start(world).await;
    let asked = |method: Method, target: &'static str, body: Option<Value>| {
        median_of_requests(&service, companies, method, target, body)
    };
    let sale = json!({"tipo": "pedido", "cliente": 1, "renglones": [{"producto": 1, "cantidad": 1, "precio_unitario": "10.00"}]});
    let mut figures = vec![
        ("a page of customers, ms", asked(Method::GET, "/clientes?limite=30", None).await),
        ("a customer by clave, ms", asked(Method::GET, "/clientes?clave=50", None).await),
        (
            "a page of a SKU's movements, ms",
            asked(Method::GET, "/movimientos-inventario?sku=P-3&limite=30", None).await,
        ),
        ("the movements of a sale, ms", asked(Method::GET, "/movimientos-inventario?venta=7", None).await),
        ("a page of sales, ms", asked(Method::GET, "/ventas?limite=30", None).await),
        ("a creation of a customer, ms", asked(Method::POST, "/clientes", Some(json!({"nombre": "Nuevo"}))).await),
        ("a sale of one line, ms", asked(Method::POST, "/ventas", Some(sale)).await),
    ];
    figures.push(("report.sales of a day by product, ms", report(world, companies).await));
    service.stop();
    figures.push(("a delivery, µs of the service and of PostgreSQL", delivery(world, companies).await));
    figures.push(("removing a thousand old answers, ms", removal(world, companies).await));
    figures
}

/// The companies in an order in which none comes again before all others did.
fn in_turn<T>(companies: &[T]) -> impl Iterator<Item = &T> {
    companies.iter().cycle()
}

async fn median_of_requests(
    service: &Service,
    companies: &[(Company, Actor)],
    method: Method,
    target: &'static str,
    body: Option<Value>,
) -> f64 {
    let mut client = Client::connect(service.address).await;
    let mut times = Vec::new();
    // The first requests read the key and prepare the statement.
    for (number, (_, actor)) in in_turn(companies).take(TIMES + 20).enumerate() {
        let mut request = actor.request(method.clone(), target);
        if body.is_some() {
            request = request.header("Idempotency-Key", fresh_key()).header("Content-Type", "application/json");
        }
        // A key's first request of a while reads the key.
        client.answer(actor.request(Method::GET, "/almacenes?limite=1"), "").await;
        let began = Instant::now();
        let (status, answer) = client.answer(request, body.as_ref().map_or(String::new(), Value::to_string)).await;
        assert!((200..300).contains(&status), "{target}: {status} {answer:?}");
        assert!(!answer.windows(EMPTY.len()).any(|part| part == EMPTY), "{target}: no records");
        if number >= 20 {
            times.push(began.elapsed());
        }
    }
    median_ms(times)
}

fn median_ms(times: Vec<Duration>) -> f64 {
    svc_tests::median(times.into_iter().map(|time| time.as_secs_f64() * 1e3))
}

async fn report(world: &World, companies: &[(Company, Actor)]) -> f64 {
    let day = mexico_date(world.clock.now());
    let input = json!({"desde": day, "hasta": day, "por": "producto"});
    let mut times = Vec::new();
    for (company, _) in in_turn(companies).take(TIMES) {
        let began = Instant::now();
        company.run_by_name("report.sales", &input).await.expect("a report");
        times.push(began.elapsed());
    }
    median_ms(times)
}

/// The CPU time of a due delivery, of ten webhooks' or of a thousand's.
async fn delivery(world: &World, companies: &[(Company, Actor)]) -> f64 {
    let receiver = Receiver::counting(std::net::Ipv4Addr::UNSPECIFIED, Duration::ZERO).await;
    let (with, each) = if companies.len() == 1 { (1, 10) } else { (companies.len().min(1_000), 1) };
    let mut claves = Vec::new();
    for (company, _) in &companies[..with] {
        webhooks(company, each, 3, receiver.address.port()).await;
        claves.push(company.id.0);
    }
    // The first clean-up goes through all companies, and is none of the deliveries' cost.
    let service = start(world).await;
    sleep(FIRST_CLEAN_UP).await;
    let due = sized(DUE);
    let webhooks = i64::try_from(with).expect("a small number") * each;
    fill::events(world.pool(), &claves, (due / webhooks).max(1), true).await;
    let due = world.count("entregas").await;
    let (own, before) = (service.cpu(), cpu::of_sessions(world.pool()).await);
    fill::schedule(world.pool(), &claves).await;
    backlog::sent(&receiver, due, WINDOW).await;
    assert_eq!(receiver.answered(), due.cast_unsigned(), "all are sent");
    let spent = service.cpu().saturating_sub(own) + cpu::spent(&before, &cpu::of_sessions(world.pool()).await);
    service.stop();
    spent.as_secs_f64() * 1e6 / due as f64
}

/// The time in which a pass of the clean-up removes answers that are twenty days old.
async fn removal(world: &World, companies: &[(Company, Actor)]) -> f64 {
    let rows = (sized(OLD) / i64::try_from(companies.len()).expect("a small number")).max(1);
    let claves: Vec<String> = companies.iter().map(|(company, _)| company.id.0.to_string()).collect();
    let old = format!(
        "INSERT INTO idempotencia (empresa, llave, nombre, huella, respuesta, creada)
         SELECT e, 'k', 'n' || n, '\\x00', repeat('x', 300)::bytea, now() - interval '20 days'
         FROM unnest('{{{}}}'::bigint[]) e, generate_series(1, {rows}) n",
        claves.join(",")
    );
    fill::unchecked(world.pool(), vec![old]).await;
    let began = Instant::now();
    let removed = clean_up(world.api.context()).await.expect("a clean-up");
    assert!(removed >= (rows * companies.len() as i64).cast_unsigned(), "{removed}");
    began.elapsed().as_secs_f64() * 1e6 / removed as f64
}
