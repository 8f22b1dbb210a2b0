//! `product.create`, `product.edit`, `product.delete`

use chrono::TimeDelta;
use serde_json::json;
use svc_tests::World;

use super::{did, emitted, refuses};

#[tokio::test]
async fn a_product_is_made_edited_and_deleted_and_its_sku_is_free_again() {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    let clavo = json!({"sku": "A", "descripcion": "Clavo", "unidad": 1});
    assert_eq!(did(company.run_by_name("product.create", &clavo).await), json!({"producto": 1, "sku": "A"}));
    did(company.run_by_name("product.edit", &json!({"clave": 1, "costo": "2.50"})).await);
    refuses(&company, "product.create", &[(clavo.clone(), "sku_duplicado", "sku: ")]).await;

    company.world.clock.advance(TimeDelta::minutes(1));
    assert_eq!(did(company.run_by_name("product.delete", &json!({"clave": 1})).await), json!({"producto": 1}));
    assert_eq!(ana.walk("/productos").await.len(), 0);
    let deleted = ana.walk("/productos?estatus=eliminado").await;
    assert_eq!((&deleted[0]["clave"], &deleted[0]["modificado"]), (&json!(1), &json!("2026-10-12T18:01:00Z")));
    assert_eq!(did(company.run_by_name("product.create", &clavo).await)["producto"], 2);

    let data = json!({"producto": 1, "sku": "A"});
    assert_eq!(
        emitted(&company.world).await,
        [
            ("producto.creado".to_owned(), data.clone()),
            ("producto.creado".to_owned(), json!({"producto": 2, "sku": "A"})),
            // One event of the edit and one of the deletion.
            ("producto.actualizado".to_owned(), data),
        ]
    );
}

#[tokio::test]
async fn deleted_or_missing_records_cannot_be_deleted() {
    let company = World::new().await.company().await;
    let other = company.world.company().await;
    did(other.run_by_name("product.create", &json!({"sku": "A", "descripcion": "Clavo", "unidad": 1})).await);
    did(other.run_by_name("product.delete", &json!({"clave": 1})).await);
    refuses(&other, "product.delete", &[(json!({"clave": 1}), "estado_invalido", "clave: ")]).await;
    refuses(
        &company,
        "product.delete",
        &[
            (json!({"clave": 1}), "no_encontrado", ""),
            (json!({}), "dato_requerido", "clave: "),
            (json!({"clave": 1, "sku": "A"}), "campo_no_permitido", "sku: "),
        ],
    )
    .await;
}
