use http::Method;
use serde_json::json;
use svc_tests::World;
use svc_tests::lists::{finds, has_fields};

use super::{bare, disable, pause, webhook};

#[tokio::test]
async fn a_webhook_has_its_fields_and_no_secret() {
    let ana = World::new().await.company().await.admin().await;
    webhook(&ana).await;
    let fields = [
        "clave",
        "url",
        "eventos",
        "descripcion",
        "activo",
        "estado",
        "motivo_desactivacion",
        "fallos_consecutivos",
        "ultima_entrega",
        "creado",
        "modificado",
    ];
    has_fields(&ana.get("/webhooks").await, &fields);
}

#[tokio::test]
async fn filters_and_states() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    for _ in 0..4 {
        webhook(&ana).await;
    }
    pause(&ana, 2).await;
    disable(&world, 3).await;
    bare(&ana, Method::DELETE, "/webhooks/4").await.ok(200);
    finds(
        &ana,
        "/webhooks",
        &[
            ("", &[1, 2, 3]),
            ("activo=true", &[1]),
            ("activo=false", &[2, 3]),
            ("clave=2", &[2]),
            ("clave=2&activo=true", &[]),
            ("clave=4", &[]),
        ],
    )
    .await;
    let states = ana.walk("/webhooks").await;
    let states: Vec<_> =
        states.iter().map(|row| (&row["estado"], &row["activo"], &row["motivo_desactivacion"])).collect();
    let (on, off, none) = (json!(true), json!(false), json!(null));
    let words = [json!("activo"), json!("pausado"), json!("desactivado"), json!("fallos")];
    assert_eq!(states, [(&words[0], &on, &none), (&words[1], &off, &none), (&words[2], &off, &words[3])]);
}
