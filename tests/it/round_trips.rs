//! The number of statements of each operation, BEGIN and COMMIT included.

use serde_json::{Value, json};
use svc_tests::statements::{Watch, watch};
use svc_tests::{Actor, Reply, Resource, World};

use crate::ventas::shop::{invoiced, made, on_credit, ready, shop};

/// The statements that an operation sends.
struct Count<'w> {
    watch: &'w Watch,
    faults: Vec<String>,
}

impl Count<'_> {
    /// Runs an operation that may send at most `max` statements.
    async fn of(&mut self, name: &str, max: usize, status: u16, request: impl Future<Output = Reply>) -> Value {
        self.watch.take();
        let answer = request.await.ok(status);
        let sent = self.watch.take();
        println!("{name}: {}", sent.len());
        if sent.len() != max {
            self.faults.push(format!("{name}: {} instead of {max}:\n{}", sent.len(), sent.join("\n")));
        }
        answer
    }
}

/// A request with a cached key.
async fn known(ana: &Actor) {
    ana.get("/clientes?limite=1").await.ok(200);
}

#[tokio::test]
async fn operations_send_no_more_statements_than_they_need() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    company.load(Resource::CuentasBancarias, &[json!({"nombre": "Banco"})]).await;
    known(&ana).await;
    // The first write of a connection prepares the claim of its key.
    ana.post("/clientes", json!({"nombre": "Luis"})).await.ok(201);
    let watch = watch();
    let mut count = Count { watch: &watch, faults: Vec::new() };

    count.of("GET /clientes", 1, 200, ana.get("/clientes")).await;
    count.of("GET /inventario", 1, 200, ana.get("/inventario?sku=A-1")).await;
    let body = json!({"nombre": "Materiales del Bajío", "rfc": "MBA010203AB1"});
    count.of("POST /clientes", 4, 201, ana.post("/clientes", body)).await;
    count.of("PUT /clientes", 5, 200, ana.put("/clientes/1", json!({"correo": "ana@example.com"}))).await;
    let body = json!({"sku": "N-1", "descripcion": "Nuevo", "unidad": 1});
    count.of("POST /productos", 5, 201, ana.post("/productos", body)).await;
    count.of("POST /leads", 4, 201, ana.post("/leads", json!({"nombre": "Luis", "correo": "luis@example.com"}))).await;
    // The product gets its stock record in the warehouse.
    count.of("POST /ventas, the first of its product", 11, 201, ana.post("/ventas", ready())).await;
    count.of("POST /ventas", 9, 201, ana.post("/ventas", ready())).await;
    // As many for 500 lines: each statement takes all of them.
    let mut long = ready();
    let line = long["renglones"][0].clone();
    long["renglones"] = vec![line; 500].into();
    count.of("POST /ventas, 500 lines", 9, 201, ana.post("/ventas", long)).await;
    let cash = made(&ana, &ready()).await;
    count.of("facturar", 18, 202, invoiced(&ana, cash, json!({}))).await;
    let credit = made(&ana, &on_credit()).await;
    invoiced(&ana, credit, json!({})).await.ok(202);
    let cxc = ana.walk(&format!("/cxc?venta={credit}")).await[0]["clave"].clone();
    let body = json!({"importe": "10.00", "fecha": "2026-10-12", "forma_pago_sat": "03", "cuenta_bancaria": 1,
                      "referencia": "SPEI 1"});
    count.of("POST pagos", 17, 201, ana.post(&format!("/cxc/{cxc}/pagos"), body)).await;
    assert!(count.faults.is_empty(), "{}", count.faults.join("\n\n"));
}
