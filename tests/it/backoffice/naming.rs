//! Actions are found by name and give the same results as the API's operations.

use serde_json::json;
use svc_core::domain::company::CompanyId;
use svc_core::json::Patch;
use svc_core::operations::{CreateCustomer, EditCustomer};
use svc_core::store::CompanyChange;
use svc_tests::{BASE_URL, World};

use super::{did, events, refuses};

#[tokio::test]
async fn an_operation_by_name_keeps_its_rules_and_events() {
    let company = World::new().await.company().await;
    let ana = json!({"nombre": "Ana", "rfc": "VECJ880326XX4"});
    assert_eq!(did(company.run_by_name("customer.create", &ana).await)["cliente"], 1);
    assert_eq!(
        did(company.run_by_name("customer.edit", &json!({"clave": 1, "telefono": "55"})).await),
        json!({"cliente": 1})
    );
    let emitted = events(&company.world).await;
    assert_eq!(emitted.len(), 2);
    assert_eq!((&emitted[0]["tipo"], &emitted[0]["empresa"]), (&json!("cliente.creado"), &json!(company.id.0)));
    assert_eq!(emitted[1]["recurso"]["url"], format!("{BASE_URL}/clientes?clave=1"));

    refuses(&company, "customer.create", &[(ana, "rfc_duplicado", "rfc: ")]).await;
    refuses(
        &company,
        "customer.edit",
        &[
            (json!({}), "dato_requerido", "clave: "),
            (json!({"clave": null}), "dato_requerido", "clave: "),
            (json!({"clave": "1"}), "dato_invalido", "clave: "),
            (json!({"clave": 1, "nombre": null}), "dato_requerido", "nombre: "),
            (json!({"clave": 1, "clave_sat": "x"}), "campo_no_permitido", "clave_sat: "),
            (json!({"clave": 2}), "no_encontrado", ""),
        ],
    )
    .await;
    refuses(&company, "customer.fly", &[(json!({}), "no_encontrado", "accion: ")]).await;
    company.edit(CompanyChange { franquicia: Some(true), ..CompanyChange::default() }).await;
    refuses(&company, "customer.create", &[(json!({"nombre": "Eva"}), "empresa_en_franquicia", "")]).await;
}

#[tokio::test]
async fn an_action_of_a_missing_company_is_refused() {
    let company = World::new().await.company().await;
    let other = svc_tests::Company { id: CompanyId(77), ..company };
    refuses(&other, "customer.create", &[(json!({"nombre": "Ana"}), "no_encontrado", "empresa: ")]).await;
}

#[tokio::test]
async fn an_embedder_runs_operations_with_typed_inputs() {
    let company = World::new().await.company().await;
    let ana = CreateCustomer {
        nombre: "Ana".parse().unwrap(),
        rfc: None,
        regimen: None,
        uso_cfdi: None,
        cp: Some("01000".parse().unwrap()),
        correo: None,
        telefono: None,
        movil: None,
        calle: None,
        colonia: None,
        pais: None,
    };
    let made = company.run(&ana).await.unwrap();
    assert_eq!((made.cliente, made.folio.as_str()), (1, "1"));
    let telefono = Patch::Set("5512345678".parse().unwrap());
    let edit = EditCustomer { clave: made.cliente, telefono, ..EditCustomer::default() };
    assert_eq!(company.run(&edit).await.unwrap().cliente, 1);
    let stored: (String, String) =
        sqlx::query_as("SELECT cp, telefono FROM clientes").fetch_one(company.world.pool()).await.unwrap();
    assert_eq!(stored, ("01000".to_owned(), "5512345678".to_owned()));
}
