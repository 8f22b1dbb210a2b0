//! The body of a contact.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_core::domain::scope::Scope;
use svc_tests::Resource;

use super::{PATH, closing, following, is_about, logged, newest, next_contact, one_customer, tasks, with};

#[tokio::test]
async fn a_contact_is_logged_as_it_was_sent() {
    let (company, ana) = one_customer().await;
    let vera = company.user("Vera", true).await;
    let contact = json!({
        "canal": "whatsapp", "resultado": "cotizo", "sentido": "entrante", "nota": " Quiere 40 cajas de ñandú ",
        "fecha": "2026-10-09T15:30:00Z", "duracion_min": 25, "proximo_fecha": "2026-10-20",
        "proximo_texto": "Llevar muestras", "vendedor": vera,
    });
    let logged = ana.post(PATH, contact).await.ok(201);
    assert_eq!(logged, json!({"ok": true, "interaccion": 1, "cliente": 1, "solo_nota": false}));
    let row = json!({
        "empresa": company.id.0, "clave": 1, "cliente": 1, "vendedor": vera, "canal": "whatsapp",
        "resultado": "cotizo", "sentido": "entrante", "nota": "Quiere 40 cajas de ñandú",
        "fecha": "2026-10-09T15:30:00+00:00", "duracion_min": 25, "proximo_fecha": "2026-10-20",
        "proximo_texto": "Llevar muestras", "cierre": null, "solo_nota": false, "creada": "2026-10-12T18:00:00+00:00",
    });
    assert_eq!(newest(&company.world).await, row);
    let task = json!({
        "empresa": company.id.0, "clave": 1, "cliente": 1, "vendedor": vera, "interaccion": 1, "fecha": "2026-10-20",
        "texto": "Llevar muestras", "estado": "abierta", "creada": "2026-10-12T18:00:00+00:00", "cerrada": null,
    });
    assert_eq!(tasks(&company.world).await, [task]);
}

#[tokio::test]
async fn omitted_fields_take_their_defaults() {
    let (company, ana) = one_customer().await;
    let contact = json!({
        "canal": "visita", "resultado": "pidio", "sentido": "", "nota": null, "fecha": "", "duracion_min": null,
        "proximo_fecha": null, "proximo_texto": " ", "cierre": "vendido", "vendedor": null,
    });
    ana.post(PATH, contact).await.ok(201);
    let row = json!({
        "empresa": company.id.0, "clave": 1, "cliente": 1, "vendedor": company.owner, "canal": "visita",
        "resultado": "pidio", "sentido": "saliente", "nota": null, "fecha": "2026-10-12T18:00:00+00:00",
        "duracion_min": null, "proximo_fecha": null, "proximo_texto": null, "cierre": "vendido", "solo_nota": false,
        "creada": "2026-10-12T18:00:00+00:00",
    });
    assert_eq!(newest(&company.world).await, row);
    assert_eq!(tasks(&company.world).await, [] as [Value; 0]);
}

#[tokio::test]
async fn only_the_listed_words_are_accepted() {
    let (company, ana) = one_customer().await;
    for (field, words) in [
        ("canal", &["llamada", "whatsapp", "correo", "visita", "reunion", "otro"][..]),
        ("resultado", &["contactado", "no_contesto", "cotizo", "pidio", "rechazo", "reagendo"]),
        ("sentido", &["saliente", "entrante"]),
    ] {
        for word in words {
            ana.post(PATH, with(field, json!(word))).await.ok(201);
            assert_eq!(newest(&company.world).await[field], *word);
        }
        for wrong in [json!("ninguno"), json!("Llamada"), json!(words[0].to_uppercase()), json!(1), json!([words[0]])] {
            is_about(&ana.post(PATH, with(field, wrong)).await, "dato_invalido", field);
        }
    }
    for field in ["canal", "resultado"] {
        for nothing in [Value::Null, json!(""), json!("  ")] {
            is_about(&ana.post(PATH, with(field, nothing)).await, "dato_requerido", field);
        }
        let mut body = closing();
        body.as_object_mut().unwrap().remove(field);
        is_about(&ana.post(PATH, body).await, "dato_requerido", field);
    }
}

#[tokio::test]
async fn lengths_count_characters_and_minutes_are_a_day_at_most() {
    let (company, ana) = one_customer().await;
    for (field, max) in [("nota", 5000), ("proximo_texto", 200), ("cierre", 40)] {
        let body = |text: String| match field {
            "proximo_texto" => {
                json!({"canal": "otro", "resultado": "cotizo", "proximo_fecha": "2026-10-12", field: text})
            }
            _ => with(field, json!(text)),
        };
        ana.post(PATH, body(format!(" {} ", "ñ".repeat(max)))).await.ok(201);
        assert_eq!(newest(&company.world).await[field], "ñ".repeat(max));
        is_about(&ana.post(PATH, body("ñ".repeat(max + 1))).await, "dato_invalido", field);
        is_about(&ana.post(PATH, body("a\0b".to_owned())).await, "dato_invalido", field);
    }
    for minutes in [1, 1440] {
        ana.post(PATH, with("duracion_min", json!(minutes))).await.ok(201);
        assert_eq!(newest(&company.world).await["duracion_min"], minutes);
    }
    for wrong in [json!(0), json!(-1), json!(1441), json!(1.5), json!("15"), json!(u64::MAX), json!(true)] {
        is_about(&ana.post(PATH, with("duracion_min", wrong)).await, "dato_invalido", "duracion_min");
    }
    for wrong in [json!("1"), json!(1.5), json!(u64::MAX), json!([1])] {
        is_about(&ana.post(PATH, with("vendedor", wrong)).await, "dato_invalido", "vendedor");
    }
    ana.post(PATH, with("solo_nota", json!(true))).await.fails(400, "campo_no_permitido");
}

#[tokio::test]
async fn a_contact_is_not_in_the_future() {
    let (company, ana) = one_customer().await;
    for past in ["2026-10-12T18:00:00Z", "2026-10-12T17:59:59.999Z", "1999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"] {
        ana.post(PATH, with("fecha", json!(past))).await.ok(201);
    }
    for wrong in [
        json!("2026-10-12T18:00:01Z"),
        json!("9999-12-31T23:59:59Z"),
        json!("2026-10-12"),
        json!("2026-10-12T10:00:00"),
        json!("2026-10-12T10:00:00-06:00"),
        json!("2026-10-12T10:00:00+00:00"),
        json!("2026-02-30T10:00:00Z"),
        json!("ayer"),
        json!(1_791_828_000),
    ] {
        is_about(&ana.post(PATH, with("fecha", wrong)).await, "dato_invalido", "fecha");
    }
    company.world.clock.advance(TimeDelta::seconds(1));
    ana.post(PATH, with("fecha", json!("2026-10-12T18:00:01Z"))).await.ok(201);
}

#[tokio::test]
async fn the_next_step_is_a_day_or_a_closing() {
    let (company, ana) = one_customer().await;
    let contact = |step: Value| {
        let mut body = json!({"canal": "llamada", "resultado": "contactado"});
        body.as_object_mut().unwrap().extend(step.as_object().unwrap().clone());
        body
    };
    for step in [
        json!({}),
        json!({"proximo_fecha": null, "cierre": ""}),
        json!({"proximo_fecha": "  ", "cierre": null}),
        json!({"proximo_texto": "Llamar"}),
    ] {
        ana.post(PATH, contact(step)).await.fails(400, "falta_siguiente_paso");
    }
    for (step, field) in [
        (json!({"proximo_fecha": "2026-10-13", "cierre": "vendido"}), "cierre"),
        (json!({"proximo_fecha": "2026-10-11", "proximo_texto": "Llamar", "cierre": "vendido"}), "cierre"),
        (json!({"proximo_texto": "Llamar", "cierre": "vendido"}), "proximo_texto"),
        (json!({"proximo_fecha": "2026-10-11"}), "proximo_fecha"),
        (json!({"proximo_fecha": "2026-10-12T18:00:00Z"}), "proximo_fecha"),
        (json!({"proximo_fecha": "2026-02-30"}), "proximo_fecha"),
        (json!({"proximo_fecha": "12/10/2026"}), "proximo_fecha"),
        (json!({"proximo_fecha": 20_261_012}), "proximo_fecha"),
        (json!({"cierre": 1}), "cierre"),
    ] {
        is_about(&ana.post(PATH, contact(step)).await, "dato_invalido", field);
    }
    assert_eq!(logged(&company.world).await, 0);
    for day in ["2026-10-12", "9999-12-31"] {
        ana.post(PATH, contact(json!({"proximo_fecha": day, "cierre": ""}))).await.ok(201);
        assert_eq!(next_contact(&ana).await, day);
    }
}

#[tokio::test]
async fn today_is_mexicos() {
    let (company, ana) = one_customer().await;
    // 2026-10-13T05:59:59Z is still the day before in Mexico, for one more second.
    company.world.clock.advance(TimeDelta::hours(12) - TimeDelta::seconds(1));
    ana.post(PATH, following("2026-10-12")).await.ok(201);
    is_about(&ana.post(PATH, following("2026-10-11")).await, "dato_invalido", "proximo_fecha");
    company.world.clock.advance(TimeDelta::seconds(1));
    is_about(&ana.post(PATH, following("2026-10-12")).await, "dato_invalido", "proximo_fecha");
    ana.post(PATH, following("2026-10-13")).await.ok(201);
}

#[tokio::test]
async fn the_body_comes_before_the_customer_and_the_customer_before_the_author() {
    let (company, ana) = one_customer().await;
    let berta = company.world.company().await.admin().await;
    company.load(Resource::Clientes, &[json!({"nombre": "Dos"}), json!({"nombre": "Tres", "plataforma": "a"})]).await;
    let wrong_author = || with("vendedor", json!(99));
    for (actor, clave) in [(&ana, "9"), (&ana, "0"), (&ana, "-1"), (&berta, "1")] {
        let path = format!("/clientes/{clave}/interacciones");
        is_about(&actor.post(&path, with("fecha", json!("2026-10-12T18:00:01Z"))).await, "dato_invalido", "fecha");
        is_about(&actor.post(&path, following("2026-10-11")).await, "dato_invalido", "proximo_fecha");
        let bare = json!({"canal": "otro", "resultado": "cotizo", "vendedor": 99});
        actor.post(&path, bare).await.fails(400, "falta_siguiente_paso");
        actor.post(&path, wrong_author()).await.fails(404, "no_encontrado");
        actor.post(&path, closing()).await.fails(404, "no_encontrado");
    }
    ana.post("/clientes/2/interacciones", wrong_author()).await.fails(422, "cliente_sin_contacto");
    ana.post("/clientes/3/interacciones", wrong_author()).await.fails(422, "cliente_de_plataforma");
    ana.post(PATH, wrong_author()).await.fails(422, "vendedor_invalido");
    assert_eq!((logged(&company.world).await, tasks(&company.world).await.len()), (0, 0));
}

#[tokio::test]
async fn the_scope_is_that_of_activities() {
    let (company, _) = one_customer().await;
    let clerk = company.actor(&[Scope::ClientesWrite, Scope::ClientesRead, Scope::LeadsWrite]).await;
    clerk.post(PATH, closing()).await.fails(403, "sin_permiso");
    let caller = company.actor(&[Scope::ActividadesWrite]).await;
    caller.post(PATH, closing()).await.ok(201);
    caller.put("/clientes/1", json!({"nombre": "Eva"})).await.fails(403, "sin_permiso");
    caller.get(PATH).await.fails(405, "metodo_no_permitido");
}
