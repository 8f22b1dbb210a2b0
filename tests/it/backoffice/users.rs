//! Users: `user.edit`, and the owner's address.

use serde_json::json;
use svc_core::operations::{CreateUser, EditCompany};
use svc_core::store::{CompanyChange, NewUser};
use svc_tests::lists::row;
use svc_tests::{World, in_notice_mode};

use super::{did, refuses};

#[tokio::test]
async fn the_owner_has_an_address_from_the_start_or_later() {
    let world = World::new().await;
    let address = |correo: &str| CompanyChange { correo: Some(correo.to_owned()), ..in_notice_mode() };
    let company = world.company_with(address(" ana@example.com ")).await;
    let stored = "SELECT coalesce(string_agg(coalesce(correo, '-'), ' ' ORDER BY clave), '') FROM usuarios";
    assert_eq!(world.sql::<String>(stored).await, "ana@example.com");
    company.user("Otro", false).await;
    company.edit(address("bea@example.com")).await;
    assert_eq!(world.sql::<String>(stored).await, "bea@example.com -");
    company.edit(in_notice_mode()).await;
    assert_eq!(world.sql::<String>(stored).await, "bea@example.com -");
    for wrong in ["bea", "@example.com", "bea@", "a b@example.com", "a@b,c@d", "a@b@c"] {
        let error = company.run(&EditCompany(address(wrong))).await.expect_err(wrong);
        assert_eq!(error.code().codigo(), "dato_invalido", "{wrong}");
    }
    company.edit(address("")).await;
    assert_eq!(world.sql::<String>(stored).await, "- -");
}

#[tokio::test]
async fn a_user_is_edited_in_part() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    let user = NewUser { nombre: "Eva".to_owned(), correo: Some("eva@example.com".to_owned()), vendedor: false };
    let eva = company.run(&CreateUser(user)).await.expect("a user").usuario;
    let long = NewUser { nombre: "ñ".repeat(101), correo: None, vendedor: true };
    let refused = company.run(&CreateUser(long)).await.expect_err("no import takes the name");
    assert!(refused.to_string().starts_with("dato_invalido"), "{refused}");
    let stored = "SELECT to_jsonb(u)::text
                  FROM (SELECT nombre, correo, vendedor, activo FROM usuarios WHERE clave = 2) u";
    let fields = ["nombre", "correo", "vendedor", "activo"];
    for (change, after) in [
        (json!({}), json!(["Eva", "eva@example.com", false, true])),
        (json!({"nombre": "Eva Luz"}), json!(["Eva Luz", "eva@example.com", false, true])),
        (json!({"correo": "luz@example.com"}), json!(["Eva Luz", "luz@example.com", false, true])),
        (json!({"correo": null, "vendedor": true}), json!(["Eva Luz", null, true, true])),
        (json!({"estatus": "inactivo"}), json!(["Eva Luz", null, true, false])),
        (json!({"estatus": "activo"}), json!(["Eva Luz", null, true, true])),
    ] {
        let mut input = change.clone();
        input["clave"] = json!(eva);
        assert_eq!(did(company.run_by_name("user.edit", &input).await), json!({"usuario": eva}), "{change}");
        assert_eq!(world.json(stored).await, row(&fields, after), "{change}");
    }
    assert_eq!(ana.walk("/vendedores").await.len(), 2);
    refuses(
        &company,
        "user.edit",
        &[
            (json!({"nombre": "X"}), "dato_requerido", "clave: "),
            (json!({"clave": 9}), "no_encontrado", "usuario: "),
            (json!({"clave": 2, "nombre": null}), "dato_requerido", "nombre: "),
            (json!({"clave": 2, "correo": "x"}), "dato_invalido", "correo: "),
            (json!({"clave": 2, "estatus": "eliminado"}), "dato_invalido", "estatus: "),
            (json!({"clave": 2, "activo": true}), "campo_no_permitido", "activo: "),
        ],
    )
    .await;
    // Without access a user's keys do not work.
    did(company.run_by_name("user.edit", &json!({"clave": company.owner, "estatus": "inactivo"})).await);
    world.clock.advance(chrono::TimeDelta::seconds(10));
    ana.get("/vendedores").await.fails(401, "llave_sin_titular");
}
