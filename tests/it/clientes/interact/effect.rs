//! The author of a contact, the customers it may be with, and the agenda it changes.

use chrono::TimeDelta;
use futures_util::{StreamExt, stream};
use http::Method;
use serde_json::{Value, json};
use svc_core::domain::scope::Scope;
use svc_core::operations::CreateKey;
use svc_tests::lists::claves;
use svc_tests::{Reply, Resource, World, any_key, in_notice_mode};

use super::super::newest as newest_customer;
use super::{
    PATH, closing, following, is_422, logged, newest, next_contact, one_customer, open, reachable, tasks, with,
};

#[tokio::test]
async fn a_contact_replaces_the_commitment() {
    let (company, ana) = one_customer().await;
    let world = &company.world;
    ana.post(PATH, following("2026-10-20")).await.ok(201);
    assert_eq!(open(world).await, [("2026-10-20".to_owned(), company.owner)]);
    assert_eq!(next_contact(&ana).await, "2026-10-20");

    world.clock.advance(TimeDelta::hours(1));
    // The task was another user's; the account is nobody's, so the author may plan it.
    let vera = company.user("Vera", true).await;
    let mut contact = following("2026-10-15");
    contact["vendedor"] = json!(vera);
    assert_eq!(ana.post(PATH, contact).await.ok(201)["solo_nota"], false);
    assert_eq!(open(world).await, [("2026-10-15".to_owned(), vera)]);
    let first = &tasks(world).await[0];
    assert_eq!((&first["estado"], &first["cerrada"]), (&json!("cerrada"), &json!("2026-10-12T19:00:00+00:00")));
    let customer = &ana.walk("/clientes").await[0];
    assert_eq!(
        (&customer["proximo_contacto"], &customer["modificado"]),
        (&json!("2026-10-15"), &json!("2026-10-12T19:00:00Z"))
    );
    assert_eq!(newest_customer(world).await["vendedor"], Value::Null, "the account stays nobody's");

    world.clock.advance(TimeDelta::hours(1));
    ana.post(PATH, closing()).await.ok(201);
    assert_eq!(open(world).await, []);
    assert_eq!(next_contact(&ana).await, Value::Null);
    assert_eq!(tasks(world).await[0], *first, "what was closed stays as it was");
    assert_eq!((tasks(world).await.len(), logged(world).await), (2, 3));
}

#[tokio::test]
async fn the_next_contact_is_what_the_list_of_customers_filters() {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    company.load(Resource::Clientes, &[reachable("Uno"), reachable("Dos"), reachable("Tres")]).await;
    for (clave, day) in [(1, "2026-10-20"), (2, "2026-10-25"), (3, "2026-10-22")] {
        ana.post(&format!("/clientes/{clave}/interacciones"), following(day)).await.ok(201);
    }
    ana.post("/clientes/3/interacciones", closing()).await.ok(201);
    let reader = company.actor(&[Scope::ClientesRead]).await;
    for (filter, found) in [
        ("proximo_contacto_desde=2026-10-20", &[1, 2][..]),
        ("proximo_contacto_desde=2026-10-21", &[2]),
        ("proximo_contacto_hasta=2026-10-24", &[1]),
        ("proximo_contacto_desde=2026-10-22&proximo_contacto_hasta=2026-10-22", &[]),
    ] {
        assert_eq!(claves(&reader.walk(&format!("/clientes?{filter}")).await), found, "{filter}");
    }
}

#[tokio::test]
async fn a_contact_on_anothers_account_is_only_a_note() {
    let company = World::new().await.company().await;
    let (vera, ivan) = (company.user("Vera", true).await, company.user("Iván", true).await);
    let mut customer = reachable("Ana");
    (customer["vendedor"], customer["modificado"]) = (json!(vera), json!("2026-01-02T03:04:05Z"));
    company.load(Resource::Clientes, &[customer]).await;
    let ana = company.admin().await;
    let by = |vendedor: Option<i64>, mut contact: Value| {
        contact["vendedor"] = json!(vendedor);
        ana.post(PATH, contact)
    };

    assert_eq!(by(Some(vera), following("2026-10-20")).await.ok(201)["solo_nota"], false);
    let (before, agenda) = (newest_customer(&company.world).await, tasks(&company.world).await);
    company.world.clock.advance(TimeDelta::hours(1));
    for author in [Some(ivan), None] {
        for contact in [following("2026-10-13"), closing()] {
            let noted = by(author, contact.clone()).await.ok(201);
            assert_eq!(noted["solo_nota"], true, "{author:?} {contact}");
            let row = newest(&company.world).await;
            assert_eq!(row["vendedor"], author.unwrap_or(company.owner));
            assert_eq!(
                (&row["solo_nota"], &row["cierre"]),
                (&json!(true), &contact["cierre"]),
                "what was said is kept"
            );
        }
    }
    assert_eq!(newest_customer(&company.world).await, before, "neither its next contact nor its change");
    assert_eq!(tasks(&company.world).await, agenda);

    let closed = by(Some(vera), closing()).await.ok(201);
    assert_eq!(closed, json!({"ok": true, "interaccion": 6, "cliente": 1, "solo_nota": false}));
    assert_eq!(open(&company.world).await, []);
    assert_eq!(next_contact(&ana).await, Value::Null);
    assert_eq!(newest_customer(&company.world).await["vendedor"], vera);
}

#[tokio::test]
async fn an_account_stays_that_of_a_salesperson_who_left() {
    let company = World::new().await.company().await;
    let vera = company.user("Vera", true).await;
    let mut customer = reachable("Ana");
    customer["vendedor"] = json!(vera);
    company.load(Resource::Clientes, &[customer]).await;
    company.disable_user(vera).await;
    let ana = company.admin().await;
    assert_eq!(ana.post(PATH, following("2026-10-13")).await.ok(201)["solo_nota"], true);
}

#[tokio::test]
async fn a_named_author_is_an_active_salesperson_of_the_company() {
    let (company, ana) = one_customer().await;
    let wrong = company.not_salespeople().await;
    let clerk = wrong[0];
    for vendedor in wrong {
        is_422(&ana.post(PATH, with("vendedor", json!(vendedor))).await, "vendedor_invalido", "vendedor: ");
    }
    assert_eq!(logged(&company.world).await, 0);
    ana.post(PATH, with("vendedor", json!(company.owner))).await.ok(201);

    // The owner of a key need not be a salesperson.
    let key = CreateKey { usuario: Some(clerk), ..any_key() };
    company.key(key).await.post(PATH, following("2026-10-13")).await.ok(201);
    assert_eq!(newest(&company.world).await["vendedor"], clerk);
    assert_eq!(open(&company.world).await, [("2026-10-13".to_owned(), clerk)]);
}

#[tokio::test]
async fn a_key_that_outlives_its_owner_names_the_author() {
    let company = World::new().await.company_with(in_notice_mode()).await;
    company.load(Resource::Clientes, &[reachable("Ana")]).await;
    let vera = company.user("Vera", true).await;
    let ana = company.admin().await;
    company.disable_user(company.owner).await;
    company.world.clock.advance(TimeDelta::seconds(5));
    let reply = ana.post(PATH, closing()).await;
    is_422(&reply, "vendedor_requerido", "vendedor: ");
    assert!(reply.header("x-svc-aviso").is_some_and(|aviso| aviso.starts_with("llave_sin_titular")));
    ana.post(PATH, with("vendedor", json!(company.owner))).await.fails(422, "vendedor_invalido");
    ana.post(PATH, with("vendedor", json!(vera))).await.ok(201);
    assert_eq!(newest(&company.world).await["vendedor"], vera);
}

#[tokio::test]
async fn a_customer_who_cannot_be_contacted_here_is_refused() {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    let platform = json!({"nombre": "Uno", "correo": "a@x.mx", "plataforma": "b", "id_platform_b": "B1"});
    let silent_platform = json!({"nombre": "Dos", "plataforma": "a"});
    let silent = json!({"nombre": "Tres"});
    let mut known = reachable("Cuatro");
    // The identifier alone does not make a platform's customer.
    known["id_platform_a"] = json!("A1");
    company.load(Resource::Clientes, &[platform, silent_platform, silent, known]).await;
    let post = |clave: i64| {
        let ana = &ana;
        async move { ana.post(&format!("/clientes/{clave}/interacciones"), closing()).await }
    };
    is_422(&post(1).await, "cliente_de_plataforma", "");
    is_422(&post(2).await, "cliente_de_plataforma", "");
    is_422(&post(3).await, "cliente_sin_contacto", "");
    post(4).await.ok(201);
    for (field, datum) in [("correo", "a@x.mx"), ("telefono", "55 1234 5678"), ("movil", "5512345678")] {
        ana.put("/clientes/3", json!({"correo": null, "telefono": null, "movil": null})).await.ok(200);
        post(3).await.fails(422, "cliente_sin_contacto");
        ana.put("/clientes/3", json!({field: datum})).await.ok(200);
        post(3).await.ok(201);
    }
    let prospect = ana.post("/leads", json!({"nombre": "Eva", "telefono": "1"})).await.ok(201);
    assert_eq!(post(prospect["prospecto"].as_i64().unwrap()).await.ok(201)["cliente"], prospect["prospecto"]);
}

#[tokio::test]
async fn a_repeated_contact_is_logged_once() {
    let (company, ana) = one_customer().await;
    let write = |body: Value| ana.write(Method::POST, PATH, "una", body);
    let first = write(following("2026-10-20")).await;
    first.ok(201);
    ana.post(PATH, following("2026-10-25")).await.ok(201);
    // By then the day is in the past, and another plan is in force.
    company.world.clock.advance(TimeDelta::days(6));
    let again = write(following("2026-10-20")).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    write(closing()).await.fails(409, "idempotencia_conflicto");
    assert_eq!(logged(&company.world).await, 2);
    assert_eq!(next_contact(&ana).await, "2026-10-25");
}

#[tokio::test]
async fn concurrent_contacts_leave_one_commitment() {
    let (company, ana) = one_customer().await;
    let contacts = (13..=22).map(|day| ana.post(PATH, following(&format!("2026-10-{day}"))));
    let replies: Vec<Reply> = stream::iter(contacts).buffer_unordered(10).collect().await;
    assert!(replies.iter().all(|reply| reply.status == 201), "{replies:?}");
    let open = open(&company.world).await;
    assert_eq!((open.len(), tasks(&company.world).await.len()), (1, 10));
    assert_eq!(next_contact(&ana).await, open[0].0);
}

#[tokio::test]
async fn a_contact_emits_no_event() {
    let (company, ana) = one_customer().await;
    ana.post(PATH, following("2026-10-20")).await.ok(201);
    ana.post(PATH, closing()).await.ok(201);
    assert_eq!(company.world.count("emitidos").await, 0);
}
