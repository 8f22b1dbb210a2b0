//! A company with a very long stock ledger.

use std::time::{Duration, Instant};

use http::Method;
use serde_json::{Value, json};
use svc_tests::{Actor, Resource};

use crate::service::Client;
use crate::{Case, MOVEMENTS, fill, memory, sized, start, world};

/// The depth of a walk, the number of pages whose median counts, and the size of a page.
const DEPTH: usize = 3_000;
const PAGES: usize = 50;
const SIZE: usize = 100;

/// Products of the company.
const PRODUCTS: i64 = 1_001;

/// The first product has half the movements, and a thousand others share the rest; every ten
/// movements are one sale, and every hundredth is an adjustment.
const LEDGER: &str = "
    INSERT INTO movimientos_inventario (empresa, clave, fecha, tipo, producto, sku, cantidad, existencia_anterior,
        existencia_actual, almacen, venta, costo_unitario, importe, referencia)
    SELECT {empresa}, n, now() - ({count} - n) * interval '3 seconds',
           CASE WHEN n % 100 = 0 THEN 'ajuste_entrada' ELSE 'venta' END, p, 'P-' || p, 1, 100, 99, '001', n / 10 + 1, 10, 10, 'R-' || n
    FROM generate_series(1::bigint, {count}) n, LATERAL (SELECT CASE WHEN n % 2 = 0 THEN 1 ELSE n / 2 % 1000 + 2 END) x (p)";

pub(crate) async fn case(case: &Case) {
    let world = world().await;
    let company = world.company().await;
    let (empresa, count) = (company.id.0, sized(MOVEMENTS));
    let began = Instant::now();
    let product = |n| json!({"clave": n, "sku": format!("P-{n}"), "descripcion": format!("Producto {n}")});
    company.load(Resource::Productos, &(1..=PRODUCTS).map(product).collect::<Vec<_>>()).await;
    let ledger = LEDGER.replace("{empresa}", &empresa.to_string()).replace("{count}", &count.to_string());
    let (dropped, made) = fill::indexes(world.pool(), &["movimientos_inventario"]).await;
    fill::unchecked(world.pool(), [dropped, vec![ledger], made].concat()).await;
    case.figure("movements", format!("{count}, written in {:.0} s", began.elapsed().as_secs_f64()));
    let size: i64 = world.sql("SELECT pg_total_relation_size('movimientos_inventario') / 1000000").await;
    case.figure("size with its indexes", format!("{size} MB"));
    let actor = company.admin().await;
    let service = start(&world).await;
    let mut client = Client::connect(service.address).await;
    for (what, filter) in [
        ("of the SKU with half of them", "sku=P-1"),
        ("of a SKU with a two-thousandth", "sku=P-500"),
        ("of one movement", "clave=1000"),
        ("of the adjustments of the first SKU", "sku=P-1&tipo=ajuste_entrada"),
        ("of a sale", "venta=1"),
    ] {
        read(case, &mut client, &actor, what, filter).await;
    }
    case.figure("memory of the service", memory(&service));
    service.stop();
}

/// Reads the first page repeatedly, and then the list to its end or very deep.
async fn read(case: &Case, client: &mut Client, actor: &Actor, what: &str, filter: &str) {
    let path = format!("/movimientos-inventario?limite={SIZE}&{filter}");
    let mut first = Vec::new();
    for _ in 0..PAGES {
        first.push(page(client, actor, &path).await.0);
    }
    let (mut deep, mut cursor) = (Vec::new(), page(client, actor, &path).await.1);
    while let Some(next) = cursor.filter(|_| deep.len() < DEPTH) {
        let (took, after) = page(client, actor, &format!("{path}&cursor={next}")).await;
        deep.push(took);
        cursor = after;
    }
    case.figure(&format!("first page {what}"), milliseconds(first));
    if !deep.is_empty() {
        let (number, last) = (deep.len() + 1, deep.split_off(deep.len().saturating_sub(PAGES)));
        case.figure(&format!("pages up to the {number}th {what}"), milliseconds(last));
    }
}

/// How long a page took, and where the next one begins.
async fn page(client: &mut Client, actor: &Actor, path: &str) -> (Duration, Option<String>) {
    let began = Instant::now();
    let (status, body) = client.answer(actor.request(Method::GET, path), "").await;
    let took = began.elapsed();
    let page: Value = serde_json::from_slice(&body).expect("JSON");
    assert!(status == 200 && page["datos"].as_array().is_some_and(|records| !records.is_empty()), "{status} {page}");
    (took, page["siguiente"].as_str().map(str::to_owned))
}

fn milliseconds(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |place: usize| times[place].as_secs_f64() * 1e3;
    format!("{:.1} ms, {:.1} ms at the most", at(times.len() / 2), at(times.len() - 1))
}
