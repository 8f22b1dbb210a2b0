//! The company of the examples, from its first customer to a cancelled invoice.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::event::EventKind;
use svc_core::stamping::SandboxStamper;
use svc_core::store::CompanyChange;
use svc_tests::{Actor, Company, Resource, World, certificate};

use super::{NoticeKeeper, Recording};

/// The lists that are read, each with its query.
const LISTS: [(&str, &str); 26] = [
    ("/clientes", "?limite=1"),
    ("/productos", ""),
    ("/precios", ""),
    ("/marcas", ""),
    ("/categorias", ""),
    ("/unidades", "?limite=1"),
    ("/oportunidades", ""),
    ("/etapas-oportunidad", "?limite=2"),
    ("/motivos-perdida", ""),
    ("/proveedores", ""),
    ("/compras", ""),
    ("/compras-renglones", "?compra=1"),
    ("/cxp", ""),
    ("/sucursales", ""),
    ("/almacenes", ""),
    ("/inventario", ""),
    ("/movimientos-inventario", "?sku=LAM-30"),
    ("/vendedores", ""),
    ("/cuentas-bancarias", ""),
    ("/ventas", "?tipo=factura"),
    ("/ventas-renglones", "?venta=1"),
    ("/facturas", "?tipo=factura"),
    ("/cxc", ""),
    ("/cxc-pagos", "?cxc=1"),
    ("/webhooks", "?limite=1"),
    ("/eventos", "?tipo=factura.timbrada"),
];

/// Runs the company's story and records every operation and every event.
pub(super) async fn recorded() -> Recording {
    let world = World::new().await;
    let company = company(&world).await;
    let actor = company.admin().await;
    let (mut recording, receiver) = (Recording::default(), NoticeKeeper::default());
    let pause = |seconds| world.clock.advance(TimeDelta::seconds(seconds));

    recording.read(&actor, "/health", "/health").await;
    recording.write(&actor, "POST /webhooks", &[]).await;
    let all: Vec<&str> =
        EventKind::ALL.iter().filter(|kind| **kind != EventKind::WebhookPrueba).map(|kind| kind.word()).collect();
    actor.post("/webhooks", json!({ "url": "https://hooks.ejemplo.mx/todo", "eventos": all })).await.ok(201);
    customers(&mut recording, &company, &actor).await;
    goods(&mut recording, &company, &actor).await;
    pause(90);
    world.deliver(&receiver).await;
    sale(&mut recording, &world, &actor, &receiver).await;
    opportunity(&company).await;
    pause(90);
    world.deliver(&receiver).await;
    for (list, query) in LISTS {
        recording.read(&actor, list, &format!("{list}{query}")).await;
    }
    webhook(&mut recording, &world, &actor, &receiver).await;
    rejected_invoice(&company, &actor).await;
    cancelled_invoice(&company, &actor).await;
    pause(90);
    world.deliver(&receiver).await;

    let notices = receiver.0.into_inner().expect("nobody panicked");
    for kind in EventKind::WORDS {
        let notice = notices.get(*kind).unwrap_or_else(|| panic!("{kind} was not received"));
        recording.notices.insert((*kind).to_owned(), notice.clone());
    }
    recording
}

async fn did(company: &Company, name: &str, input: Value) -> Value {
    company.run_by_name(name, &input).await.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A company that can issue invoices, with its catalogues.
async fn company(world: &World) -> Company {
    let settings = CompanyChange {
        rfc: Some(certificate::RFC.to_owned()),
        regimen: Some(601),
        cp: Some("42501".to_owned()),
        ..CompanyChange::default()
    };
    let company = world.company_with(settings).await;
    company.load_certificate().await;
    company.user("Jorge Ruiz", true).await;
    for (resource, records) in [
        (Resource::CuentasBancarias, vec![json!({"nombre": "Operación", "banco": "BBVA"})]),
        (Resource::Marcas, vec![json!({"nombre": "Ternium"})]),
        (Resource::Categorias, vec![json!({"nombre": "Láminas"})]),
        (
            Resource::Proveedores,
            vec![json!({
                "folio": "P-1", "nombre": "Aceros del Norte", "contacto": "Raúl Garza", "rfc": "IIA040805DZ4",
                "correo": "ventas@aceros.mx", "telefono": "81 8344 5566",
            })],
        ),
        (
            Resource::EtapasOportunidad,
            vec![
                json!({"nombre": "Prospecto", "tipo": "abierta", "orden": 1, "probabilidad": 10}),
                json!({"nombre": "Negociación", "tipo": "abierta", "orden": 2, "probabilidad": 60}),
                json!({"nombre": "Ganada", "tipo": "ganada", "orden": 3, "probabilidad": 100}),
                json!({"nombre": "Perdida", "tipo": "perdida", "orden": 4, "probabilidad": 0}),
            ],
        ),
        (Resource::MotivosPerdida, vec![json!({"nombre": "Precio"})]),
    ] {
        company.load(resource, &records).await;
    }
    company
}

async fn customers(recording: &mut Recording, company: &Company, actor: &Actor) {
    recording.write(actor, "POST /clientes", &[]).await;
    recording.write(actor, "PUT /clientes/{clave}", &[1]).await;
    recording.write(actor, "POST /leads", &[]).await;
    recording.write(actor, "POST /clientes/{clave}/interacciones", &[1]).await;
    did(company, "customer.edit", json!({"clave": 1, "limite_credito": "50000.00", "dias_credito": 30})).await;
}

/// A product, its price, and the stock that was bought.
async fn goods(recording: &mut Recording, company: &Company, actor: &Actor) {
    recording.write(actor, "POST /productos", &[]).await;
    recording.write(actor, "PUT /productos/{clave}", &[1]).await;
    company.load(Resource::Precios, &[json!({"lista": 1, "producto": 1, "precio": "260.00"})]).await;
    let lines = json!([{"sku": "LAM-30", "cantidad": 100, "costo_unitario": "192.00", "iva": "3072.00"}]);
    did(company, "purchase.capture", json!({"proveedor": 1, "folio": "OC-88", "renglones": lines})).await;
    let received = json!([{"renglon": 1, "cantidad": 100}]);
    did(company, "purchase.receive", json!({"compra": 1, "renglones": received})).await;
}

/// An order, its invoice, and a payment of half of it.
async fn sale(recording: &mut Recording, world: &World, actor: &Actor, receiver: &NoticeKeeper) {
    let venta = recording.write(actor, "POST /ventas", &[]).await["venta"].as_i64().expect("a sale");
    recording.write_once(actor, "POST /ventas/{clave}/facturar", &[venta]).await;
    world.clock.advance(TimeDelta::seconds(5));
    let stamped = world.stamp(&SandboxStamper).await.timbrados;
    assert_eq!(stamped, 1, "the invoice is stamped");
    // Events of one moment have no order, so each is delivered before the next.
    world.deliver(receiver).await;
    world.clock.advance(TimeDelta::minutes(2));
    recording.write_once(actor, "POST /ventas/{clave}/facturar", &[venta]).await;
    let cxc = actor.get(&format!("/cxc?venta={venta}")).await.ok(200)["datos"][0]["clave"].as_i64().expect("a debt");
    recording.write(actor, "POST /cxc/{clave}/pagos", &[cxc]).await;
    world.clock.advance(TimeDelta::seconds(5));
    assert_eq!(world.stamp(&SandboxStamper).await.timbrados, 1, "the complement is stamped");
}

async fn opportunity(company: &Company) {
    let deal = json!({
        "nombre": "Remodelación de bodega", "etapa": 1, "cliente": 1, "monto": "1500.00", "cierre": "2026-12-31",
        "probabilidad": 40, "contacto_nombre": "Laura Méndez", "contacto_correo": "laura@ejemplo.mx",
        "contacto_telefono": "55 1234 5678", "origen": "sitio web",
    });
    did(company, "opportunity.create", deal).await;
    did(company, "opportunity.move", json!({"oportunidad": 1, "etapa": 2})).await;
}

async fn webhook(recording: &mut Recording, world: &World, actor: &Actor, receiver: &NoticeKeeper) {
    recording.write(actor, "POST /webhooks/{clave}/recuperar", &[1]).await;
    world.deliver(receiver).await;
    recording.write(actor, "POST /webhooks/{clave}/probar", &[1]).await;
    world.deliver(receiver).await;
    recording.read(actor, "/webhooks/{clave}/entregas", "/webhooks/1/entregas?limite=2").await;
    let sent = actor.get("/webhooks/1/entregas").await.ok(200)["datos"][0]["clave"].as_i64().expect("a delivery");
    recording.write(actor, "POST /webhooks/{clave}/entregas/{entrega}/reenviar", &[1, sent]).await;
    recording.write(actor, "POST /webhooks/{clave}/secreto", &[1]).await;
    recording.write(actor, "PUT /webhooks/{clave}", &[1]).await;
    recording.write(actor, "DELETE /webhooks/{clave}", &[1]).await;
}

/// Invoices an order of one sheet; returns the invoice's clave.
async fn invoice(actor: &Actor) -> Value {
    let order = json!({
        "tipo": "pedido", "cliente": 1, "renglones": [{"sku": "LAM-30", "cantidad": 1}],
        "forma_pago_sat": "03", "metodo_pago_sat": "PUE",
    });
    let venta = actor.post("/ventas", order).await.ok(201)["venta"].clone();
    actor.post(&format!("/ventas/{venta}/facturar"), json!({})).await.ok(202)["factura"].clone()
}

async fn rejected_invoice(company: &Company, actor: &Actor) {
    let factura = invoice(actor).await;
    let refusal = json!({"factura": factura, "codigo": "CFDI40145", "mensaje": "El nombre no corresponde al RFC"});
    did(company, "invoice.rejected", refusal).await;
}

async fn cancelled_invoice(company: &Company, actor: &Actor) {
    let world = &company.world;
    let factura = invoice(actor).await;
    world.stamp(&SandboxStamper).await;
    did(company, "invoice.cancel", json!({"factura": factura, "motivo": "02"})).await;
    world.clock.advance(TimeDelta::minutes(1));
    world.stamp(&SandboxStamper).await;
}
