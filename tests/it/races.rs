//! Twenty concurrent requests for what only one can have, fifty times: one wins each time, the
//! others are refused, and the books agree at the end. (Twenty requests to invoice one sale:
//! `ventas/invoice/races.rs`.)

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use svc_tests::{Actor, Company, Reply, Resource, World, books};

use crate::ventas::shop::{NAIL, invoiced, line, made, ready, sale, shop, together};

const ROUNDS: usize = 50;
const MANY: usize = 20;

/// The path of a creation, the code if the record exists, and the body.
type Kind = (&'static str, &'static str, fn(usize) -> Value);

/// A shop with a bank account, and a user who may do everything.
async fn open() -> (Company, Actor) {
    let company = shop(&World::new().await).await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Banco"})]).await;
    let ana = company.admin().await;
    (company, ana)
}

/// Checks that one of them won and the others got this code.
fn one_wins(replies: &[Reply], status: u16, codigo: &str, round: usize) {
    let (won, lost): (Vec<&Reply>, Vec<&Reply>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!(won.len(), 1, "round {round}");
    for reply in lost {
        reply.fails(status, codigo);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn equal_concurrent_requests_with_one_key_are_one_write() {
    let (company, ana) = open().await;
    for round in 0..ROUNDS {
        let (key, body) = (format!("ronda-{round}"), sale("pedido", &[line(NAIL, 1, "10.00")]));
        let replies = together((0..MANY).map(|_| ana.write(Method::POST, "/ventas", &key, body.clone()))).await;
        assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1, "round {round}");
        assert!(replies.iter().all(|reply| reply.status < 300 && reply.body == replies[0].body), "round {round}");
        company.world.clock.advance(TimeDelta::minutes(1));
    }
    assert_eq!(company.world.count("ventas").await, 50);
    books::check(&company.world, &company).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_payments_of_the_whole_balance_have_one_winner() {
    let (company, ana) = open().await;
    for round in 0..ROUNDS {
        let venta = made(&ana, &ready()).await;
        invoiced(&ana, venta, json!({})).await.ok(202);
        let owed = ana.get(&format!("/cxc?venta={venta}")).await.ok(200)["datos"][0].clone();
        let path = format!("/cxc/{}/pagos", owed["clave"]);
        let pay = |number: usize| {
            ana.post(
                &path,
                json!({"importe": owed["total"], "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                       "referencia": format!("SPEI {round}-{number}")}),
            )
        };
        let replies = together((0..MANY).map(pay)).await;
        one_wins(&replies, 422, "cxc_sin_saldo", round);
        company.world.clock.advance(TimeDelta::minutes(1));
    }
    books::check(&company.world, &company).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_creates_of_one_sku_or_rfc_have_one_winner() {
    let (company, ana) = open().await;
    let kinds: [Kind; 2] = [
        ("/productos", "sku_duplicado", |round| json!({"sku": format!("N-{round}"), "descripcion": "B", "unidad": 1})),
        ("/clientes", "rfc_duplicado", |round| {
            json!({"nombre": "Eva", "rfc": format!("ABC0101{:02}AB1", 10 + round % 19)
            .replace("ABC", ["ABC", "ABD", "ABE"][round / 19])})
        }),
    ];
    for round in 0..ROUNDS {
        for (path, codigo, body) in &kinds {
            let replies = together((0..MANY).map(|_| ana.post(path, body(round)))).await;
            one_wins(&replies, 409, codigo, round);
        }
        company.world.clock.advance(TimeDelta::minutes(1));
    }
}
