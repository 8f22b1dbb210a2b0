//! Typed reads of lists from Rust, of a host's own too.

use futures_util::TryStreamExt as _;
use serde_json::json;
use svc_core::record::customer::Customer;
use svc_core::record::delivery::Delivery;
use svc_core::record::event::ListedEvent;
use svc_core::{Api, Error};

use crate::own_part::{key, sale, with_part};
use crate::parcels::Parcel;

#[tokio::test]
async fn records_of_a_company_are_a_stream_of_their_type() {
    let (world, context) = with_part().await;
    let api = Api::new(&context);
    let (company, other) = (world.company().await, world.company().await);
    let (ana, eva) = (company.admin().await, other.admin().await);
    for name in ["ana", "eva+b", "luz", "ana", "sol"] {
        let correo = format!("{name}@example.com");
        ana.post("/clientes", json!({"nombre": name, "correo": correo})).await.ok(201);
    }
    eva.post("/clientes", json!({"nombre": "Otra"})).await.ok(201);
    let claves = async |of: svc_core::Listing<'_, Customer>| -> Result<Vec<i64>, Error> {
        of.stream().map_ok(|customer| customer.clave).try_collect().await
    };
    let all = || context.list::<Customer>(company.id);
    for size in [1, 2, 5, 500] {
        assert_eq!(claves(all().page_size(size)).await.expect("customers"), [1, 2, 3, 4, 5], "{size}");
    }
    assert_eq!(claves(all().after(3)).await.expect("customers"), [4, 5]);
    assert_eq!(claves(all().filter("correo", "ana@example.com").page_size(1)).await.expect("customers"), [1, 4]);
    assert_eq!(claves(all().filter("correo", "eva+b@example.com")).await.expect("customers"), [2]);
    assert_eq!(claves(context.list(other.id)).await.expect("customers"), [1]);
    // What the API refuses is refused.
    let refused = async |of| claves(of).await.expect_err("refused").code().codigo();
    assert_eq!(refused(all().filter("color", "rojo")).await, "filtro_no_permitido");
    assert_eq!(refused(all().filter("clave", "x")).await, "filtro_invalido");
    assert_eq!(refused(all().page_size(501)).await, "limite_invalido");
    assert_eq!(refused(all().under(1)).await, "filtro_requerido");
    assert_eq!(refused(context.list(svc_core::domain::company::CompanyId(999_999))).await, "no_encontrado");

    // A host's own list, with columns of another table, and the events of its kinds.
    let scopes = ["paqueteria:read", "paqueteria:write"];
    let clerk = key(&company, &scopes, &api).await;
    let venta = sale(&clerk).await;
    clerk.post("/paqueteria/envios", json!({"venta": venta, "guia": "1"})).await.ok(201);
    let parcels: Vec<Parcel> =
        context.list(company.id).filter("cliente", 6).stream().try_collect().await.expect("parcels");
    let [parcel] = &parcels[..] else { panic!("{parcels:?}") };
    assert_eq!((parcel.venta, parcel.cliente, parcel.total.to_string()), (venta, Some(6), "116.00".to_owned()));
    let page = clerk.get("/paqueteria/envios?cliente=6").await.ok(200);
    assert_eq!(page["datos"][0]["total"], "116.00");
    assert_eq!(clerk.get("/paqueteria/envios?cliente=5").await.ok(200)["datos"], json!([]));
    let events = context.list::<ListedEvent>(company.id).filter("tipo", "paqueteria.enviado").stream();
    assert_eq!(events.try_collect::<Vec<_>>().await.expect("events").len(), 1);

    // A sub-list is of a record.
    let hook = json!({"url": "https://receptor-1.example.com/", "eventos": ["cliente.creado"]});
    ana.post("/webhooks", hook).await.ok(201);
    ana.post("/webhooks/1/probar", json!({})).await.ok(202);
    let deliveries = context.list::<Delivery>(company.id).under(1).stream();
    assert_eq!(deliveries.try_collect::<Vec<_>>().await.expect("deliveries").len(), 1);
    let without = context.list::<Delivery>(company.id).stream().try_collect::<Vec<_>>().await;
    assert_eq!(without.expect_err("of which webhook?").code().codigo(), "filtro_requerido");
    let absent = context.list::<Delivery>(company.id).under(9).stream().try_collect::<Vec<_>>().await;
    assert_eq!(absent.expect_err("it is not there").code().codigo(), "no_encontrado");
}
