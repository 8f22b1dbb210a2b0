//! The server and its database are killed (SIGKILL) during a storm of writes and started again. All
//! writes are repeated with the same Idempotency-Keys: each exists exactly once, and the books add
//! up.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};
use svc_core::domain::clock::{Clock as _, SystemClock, mexico_date};
use svc_local_postgres::Cluster;
use svc_store_postgres::{PostgresStore, Settings};

use crate::harness::{Demo, Svc};

/// The number of concurrent writers, and of the orders that each takes from creation to payment.
const WRITERS: usize = 6;
const ORDERS: usize = 12;
/// How often the server is killed.
const KILLS: usize = 3;

#[test]
fn writes_before_a_kill_exist_exactly_once() {
    let svc = Svc::new();
    let shop = Shop::open(&svc);
    let known = Mutex::new(HashMap::new());
    for round in 0..KILLS {
        let server = svc.serve(&["--no-workers"], shop.key.clone());
        let (done, total) = (AtomicUsize::new(0), WRITERS * ORDERS * 4);
        std::thread::scope(|scope| {
            let writer = |writer| {
                let (shop, server, known, done) = (&shop, &server, &known, &done);
                scope.spawn(move || storm(shop, server, writer, known, done))
            };
            let writers: Vec<_> = (0..WRITERS).map(writer).collect();
            // Midway: some writes are answered, and no writer is finished.
            let enough = total * (round + 1) / (KILLS + 2);
            while done.load(Ordering::Relaxed) < enough {
                assert!(!writers.iter().any(ScopedJoinHandle::is_finished), "a writer ended before the server did");
                std::thread::sleep(Duration::from_millis(2));
            }
            kill(server.pid(), Signal::SIGKILL).unwrap();
        });
        server.stop(Signal::SIGKILL);
        assert!(svc.server_is_gone(), "the private database ends with the server");
    }
    let server = svc.serve(&["--no-workers"], shop.key.clone());
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (shop, server, known, done) = (&shop, &server, &known, &done);
            scope.spawn(move || storm(shop, server, writer, known, done));
        }
    });
    assert_eq!(done.load(Ordering::Relaxed), WRITERS * ORDERS * 4, "every write is answered in the end");
    server.stop(Signal::SIGTERM);
    Shop::audit(&svc);
}

/// Sends every write of one writer, in order, until the server is gone. A repeated answer must not
/// change.
fn storm(shop: &Shop, server: &Demo, writer: usize, known: &Mutex<HashMap<String, Value>>, done: &AtomicUsize) {
    let write = |path: &str, key: String, body: Value| -> Option<Value> {
        let (status, answer) = post(server, path, &key, &body)?;
        assert!((200..300).contains(&status), "{path} {key}: {status} {answer}");
        done.fetch_add(1, Ordering::Relaxed);
        // A repeated answer may show a later state of the invoice, but never another invoice.
        let lasting = match answer.get("ya_solicitada") {
            Some(_) => json!({"factura": answer["factura"], "folio": answer["folio"]}),
            None => answer.clone(),
        };
        let before = known.lock().unwrap().entry(key.clone()).or_insert_with(|| lasting.clone()).clone();
        assert_eq!(before, lasting, "{path} {key}");
        Some(answer)
    };
    let bring = |number: usize| -> Option<()> {
        let name = format!("{writer}-{number}");
        let customer = json!({"nombre": format!("Cliente {name}"), "rfc": "XAXX010101000", "cp": "06700"});
        let cliente = write("/clientes", format!("cliente-{name}"), customer)?["cliente"].clone();
        let order = json!({
            "tipo": "pedido", "cliente": cliente, "referencia": name, "metodo_pago_sat": "PPD", "forma_pago_sat": "99",
            "renglones": [{"sku": "A", "cantidad": 1 + number}, {"sku": "B", "cantidad": 0.5, "descuento": "1.00"}],
        });
        let venta = write("/ventas", format!("pedido-{name}"), order)?["venta"].clone();
        write(&format!("/ventas/{venta}/facturar"), format!("factura-{name}"), json!({}))?;
        let (_, owed) = server.try_send(&server.head("GET", &format!("/cxc?venta={venta}"), ""))?;
        let owed = &owed["datos"][0];
        // Once paid, the sale owes nothing; what it owed before is in the total.
        let payment = json!({"importe": owed["total"], "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": shop.today,
                             "referencia": format!("SPEI {name}")});
        write(&format!("/cxc/{}/pagos", owed["clave"]), format!("pago-{name}"), payment)?;
        Some(())
    };
    for number in 0..ORDERS {
        if bring(number).is_none() {
            return;
        }
    }
}

/// Sends a write, retrying as the answer allows; none if the server is gone.
fn post(server: &Demo, path: &str, key: &str, body: &Value) -> Option<(u16, Value)> {
    loop {
        let (status, answer) = server.try_send(&server.writing(path, key, &body.to_string()))?;
        match (status, answer["error"]["codigo"].as_str()) {
            // The database is stopping or has just started, so the request is retried.
            (503, _) | (409, Some("idempotencia_en_curso")) => std::thread::sleep(Duration::from_millis(20)),
            _ => return Some((status, answer)),
        }
    }
}

/// A company that sells two products, and its key.
struct Shop {
    key: Value,
    today: String,
}

impl Shop {
    fn open(svc: &Svc) -> Self {
        let fixture = |name: &str| format!("{}/../tests/fixtures/csd/{name}", env!("CARGO_MANIFEST_DIR"));
        let company = [
            "company",
            "create",
            "--name",
            "Tienda",
            "--rfc",
            "EKU9003173C9",
            "--regimen",
            "601",
            "--cp",
            "06700",
            "--licences",
            "6",
        ];
        svc.ok(&company);
        let load = ["certificate", "load", "--company", "1", "--password-env", "CSD", "--cer"];
        let (cer, key) = (fixture("valid.cer"), fixture("valid.key"));
        let loaded = svc
            .command(&[&load[..], &[&cer, "--key", &key]].concat())
            .env("CSD", svc_tests::certificate::PASSWORD)
            .output()
            .unwrap();
        assert!(loaded.status.success(), "{}", String::from_utf8_lossy(&loaded.stderr));
        for (resource, records) in [
            (
                "productos",
                "{\"sku\":\"A\",\"unidad\":1,\"costo\":\"7.25\"}\n{\"sku\":\"B\",\"unidad\":1,\"iva_venta\":\"0\"}",
            ),
            (
                "precios",
                "{\"sku\":\"A\",\"lista\":1,\"precio\":\"10.33\"}\n{\"sku\":\"B\",\"lista\":1,\"precio\":\"99.99\"}",
            ),
            ("cuentas-bancarias", "{\"nombre\":\"Banco\"}"),
        ] {
            let imported = svc.run(&["import", "--company", "1", resource, "-"], records);
            assert!(imported.status.success(), "{resource}: {}", String::from_utf8_lossy(&imported.stderr));
        }
        let key = svc.ok(&["key", "create", "--company", "1"]);
        let today = mexico_date(SystemClock.now()).to_string();
        Self { key, today }
    }

    /// Checks the database itself, once the server has stopped.
    fn audit(svc: &Svc) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let cluster = Cluster::open(&svc.dir.path().join("data")).unwrap();
        runtime.block_on(async {
            let store = PostgresStore::with_options(cluster.options("svc"), &Settings::default());
            let orders = WRITERS * ORDERS;
            for (what, statement) in [
                ("customers", "SELECT count(DISTINCT nombre) || '/' || count(*) FROM clientes"),
                ("sales", "SELECT count(DISTINCT referencia) || '/' || count(*) FROM ventas WHERE tipo = 'factura'"),
                ("invoices", "SELECT count(DISTINCT venta) || '/' || count(*) FROM facturas WHERE tipo = 'factura'"),
                ("receivables", "SELECT count(DISTINCT venta) || '/' || count(*) FROM cxc WHERE estatus = 'pagado'"),
                ("payments", "SELECT count(DISTINCT referencia) || '/' || count(*) FROM cxc_pagos"),
                ("deposits", "SELECT count(DISTINCT referencia) || '/' || count(*) FROM depositos"),
            ] {
                let found: String = sqlx::query_scalar(statement).fetch_one(&svc_tests::pool_of(&store)).await.unwrap();
                assert_eq!(found, format!("{orders}/{orders}"), "{what}");
            }
            svc_tests::books::check_company(&svc_tests::pool_of(&store), svc_core::domain::company::CompanyId(1)).await;
            store.close().await;
        });
        cluster.stop().unwrap();
    }
}
