//! `PUT /clientes/{clave}`

use chrono::TimeDelta;
use futures_util::{StreamExt, stream};
use http::Method;
use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::imports::customers;
use svc_tests::lists::{claves, pick};
use svc_tests::{Actor, BASE_URL, Company, Resource, World};

use super::{last_event, newest, write_raw};

#[tokio::test]
async fn an_edit_changes_what_it_sends_and_keeps_the_rest() {
    let (company, ana) = one_customer().await;
    let before = newest(&company.world).await;
    company.world.clock.advance(TimeDelta::seconds(60));
    for (field, value) in [
        ("nombre", json!("Ñandú y Cía.")),
        ("rfc", json!("SAT970701NN3")),
        ("regimen", json!(603)),
        ("uso_cfdi", json!("G01")),
        ("cp", json!("44100")),
        ("correo", json!("b@x.mx")),
        ("telefono", json!("33 1234 5678")),
        ("movil", json!("33 8765 4321")),
        ("calle", json!("Av. Hidalgo 2")),
        ("colonia", json!("Moderna")),
        ("pais", json!(264)),
    ] {
        let mut expected = newest(&company.world).await;
        expected[field] = value.clone();
        if field == "nombre" {
            expected["razon_social"] = value.clone();
        }
        if field == "nombre" || field == "rfc" {
            let [nombre, razon_social, rfc] = ["nombre", "razon_social", "rfc"].map(|name| expected[name].as_str());
            let words = [nombre, razon_social, rfc].map(Option::unwrap_or_default).join(" ").to_lowercase();
            expected["busqueda"] = json!(words.replace('ñ', "n").replace('ú', "u").replace('í', "i"));
        }
        expected["modificado"] = json!("2026-10-12T18:01:00+00:00");
        let mut edit = json!({});
        edit[field] = value;
        assert_eq!(ana.put("/clientes/1", edit).await.ok(200), json!({"ok": true, "cliente": 1}));
        assert_eq!(newest(&company.world).await, expected, "{field}");
        assert_ne!(expected[field], before[field], "{field}");
    }
}

#[tokio::test]
async fn null_and_empty_texts_clear() {
    for nothing in [json!(null), json!(""), json!("  ")] {
        let (company, ana) = one_customer().await;
        for field in ["uso_cfdi", "regimen", "rfc", "cp", "correo", "telefono", "movil", "calle", "colonia"] {
            assert_ne!(newest(&company.world).await[field], Value::Null, "{field}");
            let mut edit = json!({});
            edit[field] = nothing.clone();
            ana.put("/clientes/1", edit).await.ok(200);
            assert_eq!(newest(&company.world).await[field], Value::Null, "{field}: {nothing}");
        }
        ana.put("/clientes/1", json!({"pais": 264})).await.ok(200);
        ana.put("/clientes/1", json!({"pais": nothing})).await.ok(200);
        assert_eq!(newest(&company.world).await["pais"], 172);
    }
}

#[tokio::test]
async fn a_malformed_edit_changes_nothing() {
    let (company, ana) = one_customer().await;
    let before = newest(&company.world).await;
    for (body, codigo, field) in [
        (r#"{"nombre":null}"#, "dato_requerido", "nombre"),
        (r#"{"nombre":""}"#, "dato_requerido", "nombre"),
        (r#"{"telefono":"1","nombre":"  "}"#, "dato_requerido", "nombre"),
        (r#"{"nombre":7}"#, "dato_invalido", "nombre"),
        (r#"{"calle":"a\u0000"}"#, "dato_invalido", "calle"),
        (r#"{"regimen":"601"}"#, "dato_invalido", "regimen"),
        (r#"{"regimen":601.0}"#, "dato_invalido", "regimen"),
        (r#"{"cp":"6000"}"#, "dato_invalido", "cp"),
        (r#"{"pais":[172]}"#, "dato_invalido", "pais"),
        (r#"{"telefono":"1","clave":2}"#, "campo_no_permitido", "clave"),
        (r#"{"telefono":"1","prospecto":true}"#, "campo_no_permitido", "prospecto"),
        (r#"{"telefono":"1","id_platform_a":"B"}"#, "campo_no_permitido", "id_platform_a"),
    ] {
        let reply = write_raw(&ana, Method::PUT, "/clientes/1", body).await;
        assert_eq!((reply.status, &reply.json()["error"]["codigo"]), (400, &json!(codigo)), "{body}");
        assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{body}: {}", reply.mensaje());
    }
    assert_eq!(newest(&company.world).await, before);
    assert_eq!(company.world.count("emitidos").await, 0);
}

#[tokio::test]
async fn lengths_are_those_of_the_creation() {
    let (_, ana) = one_customer().await;
    for (field, max) in
        [("nombre", 100), ("correo", 50), ("telefono", 30), ("movil", 14), ("calle", 200), ("colonia", 50)]
    {
        for (length, status) in [(max, 200), (max + 1, 400)] {
            let mut edit = json!({});
            edit[field] = json!("ñ".repeat(length));
            assert_eq!(ana.put("/clientes/1", edit).await.status, status, "{field} of {length}");
        }
    }
}

#[tokio::test]
async fn an_edit_that_changes_nothing_leaves_no_trace() {
    let (company, ana) = one_customer().await;
    let before = newest(&company.world).await;
    company.world.clock.advance(TimeDelta::hours(1));
    for edit in [
        json!({}),
        json!({"nombre": "Ñandú"}),
        json!({"nombre": " Ñandú "}),
        json!({"rfc": "eku9003173c9"}),
        json!({"correo": "a@x.mx"}),
        json!({"pais": null}),
        json!({
            "nombre": "Ñandú", "rfc": "EKU9003173C9", "regimen": 601, "uso_cfdi": "G03", "cp": "06000",
            "correo": "a@x.mx", "telefono": "5512345678", "movil": "5587654321", "calle": "Av. Juárez 1",
            "colonia": "Centro", "pais": 172,
        }),
    ] {
        assert_eq!(ana.put("/clientes/1", edit.clone()).await.ok(200), json!({"ok": true, "cliente": 1}));
        assert_eq!(newest(&company.world).await, before, "{edit}");
    }
    assert_eq!(company.world.count("emitidos").await, 0);
}

#[tokio::test]
async fn a_change_emits_an_event() {
    let (company, ana) = one_customer().await;
    company.world.clock.advance(TimeDelta::seconds(5));
    ana.write(Method::PUT, "/clientes/1", "una", json!({"telefono": "1"})).await.ok(200);
    ana.write(Method::PUT, "/clientes/1", "una", json!({"telefono": "1"})).await.ok(200);
    assert_eq!(company.world.count("emitidos").await, 1);
    let event = last_event(&company.world).await;
    let expected = json!({
        "id": event["id"],
        "tipo": "cliente.actualizado",
        "creado": "2026-10-12T18:00:05Z",
        "empresa": company.id.0,
        "datos": {"cliente": 1},
        "recurso": {"tipo": "clientes", "clave": 1, "url": format!("{BASE_URL}/clientes?clave=1")},
    });
    assert_eq!(event, expected);
    assert_eq!(ana.walk("/clientes").await[0]["modificado"], "2026-10-12T18:00:05Z");
}

#[tokio::test]
async fn the_fiscal_identity_is_validated_as_it_will_be_after_the_edit() {
    // The customer is EKU9003173C9, a legal person, with 601 and G03.
    let (company, ana) = one_customer().await;
    let before = newest(&company.world).await;
    for (edit, codigo) in [
        (json!({"rfc": "ABC010230AB1"}), "rfc_invalido"),
        (json!({"rfc": "COSC8001137NA"}), "regimen_incompatible"),
        (json!({"rfc": "XAXX010101000"}), "regimen_incompatible"),
        (json!({"regimen": 609}), "regimen_invalido"),
        (json!({"regimen": 605}), "regimen_incompatible"),
        (json!({"regimen": 610}), "uso_cfdi_incompatible"),
        (json!({"uso_cfdi": "P01"}), "uso_cfdi_invalido"),
        (json!({"uso_cfdi": "D01"}), "uso_cfdi_incompatible"),
        (json!({"regimen": null, "uso_cfdi": "D01"}), "uso_cfdi_incompatible"),
        (json!({"rfc": null, "regimen": 605}), "uso_cfdi_incompatible"),
        (json!({"rfc": "COSC8001137NA", "regimen": 605}), "uso_cfdi_incompatible"),
        (json!({"cp": "00001"}), "cp_invalido"),
        (json!({"pais": 0}), "pais_invalido"),
    ] {
        let reply = ana.put("/clientes/1", edit.clone()).await;
        assert_eq!((reply.status, &reply.json()["error"]["codigo"]), (422, &json!(codigo)), "{edit}");
    }
    assert_eq!((newest(&company.world).await, company.world.count("emitidos").await), (before, 0));
    for edit in [
        json!({"regimen": 626}),
        json!({"rfc": "COSC8001137NA"}),
        json!({"regimen": 605, "uso_cfdi": "D01"}),
        json!({"regimen": null}),
        json!({"rfc": null, "uso_cfdi": "G03"}),
        json!({"rfc": "EKU9003173C9", "regimen": 601}),
    ] {
        assert_eq!(ana.put("/clientes/1", edit.clone()).await.status, 200, "{edit}");
    }
}

#[tokio::test]
async fn an_older_identity_is_validated_only_when_it_is_edited() {
    let company = World::new().await.company().await;
    // A legal person in a natural person's regime, as an older system may have stored it.
    let older = json!({"nombre": "Vieja", "rfc": "EKU9003173C9", "regimen": 605, "uso_cfdi": "G03"});
    company.load(Resource::Clientes, &[older]).await;
    let ana = company.admin().await;
    ana.put("/clientes/1", json!({"telefono": "1", "cp": "06000"})).await.ok(200);
    ana.put("/clientes/1", json!({"uso_cfdi": "G01"})).await.fails(422, "regimen_incompatible");
    ana.put("/clientes/1", json!({"regimen": 601})).await.ok(200);
}

#[tokio::test]
async fn a_generic_rfc_brings_its_defaults() {
    let (company, ana) = one_customer().await;
    ana.put("/clientes/1", json!({"rfc": "XEXX010101000", "regimen": null, "uso_cfdi": null})).await.ok(200);
    let row = newest(&company.world).await;
    assert_eq!(
        pick(&row, &["rfc", "regimen", "uso_cfdi"]),
        json!({"rfc": "XEXX010101000", "regimen": 616, "uso_cfdi": "S01"})
    );
}

#[tokio::test]
async fn a_generic_rfc_becomes_a_real_one_with_its_taxpayer() {
    let (_, ana) = one_customer().await;
    ana.post("/clientes", json!({"nombre": "Mostrador", "rfc": "XAXX010101000"})).await.ok(201);
    let said = async |body: Value| {
        let refused = ana.put("/clientes/2", body).await;
        assert_eq!(refused.status, 422);
        refused.json()["error"]["mensaje"].as_str().unwrap().to_owned()
    };
    let rest = "el que el cliente tiene no corresponde a ese RFC; envíe también los datos de su titular";
    assert_eq!(said(json!({"rfc": "SAT970701NN3"})).await, format!("regimen: {rest}: regimen, uso_cfdi, cp, nombre"));
    assert_eq!(
        said(json!({"rfc": "SAT970701NN3", "cp": "06300"})).await,
        format!("regimen: {rest}: regimen, uso_cfdi, nombre")
    );
    let body = json!({"rfc": "sat970701nn3", "regimen": 603, "uso_cfdi": "G03", "cp": "06300", "nombre": "SAT"});
    ana.put("/clientes/2", body).await.ok(200);
    // And back: the defaults come when regime and use are cleared.
    assert_eq!(said(json!({"rfc": "XAXX010101000"})).await, format!("regimen: {rest}: regimen, uso_cfdi, cp, nombre"));
    ana.put("/clientes/2", json!({"rfc": "XAXX010101000", "regimen": null, "uso_cfdi": null})).await.ok(200);
    // A natural person may be without fiscal obligations.
    ana.put("/clientes/2", json!({"rfc": "COSC8001137NA"})).await.ok(200);
}

#[tokio::test]
async fn an_rfc_of_another_customer_is_refused() {
    let (company, ana) = one_customer().await;
    ana.post("/clientes", json!({"nombre": "Eva", "rfc": "SAT970701NN3"})).await.ok(201);
    let taken = ana.put("/clientes/1", json!({"rfc": "sat970701nn3"})).await;
    taken.fails(409, "rfc_duplicado");
    assert_eq!(taken.json()["error"]["mensaje"], "rfc: ya lo tiene el cliente 2");
    let taken = ana.post("/clientes", json!({"nombre": "Otra", "rfc": "EKU9003173C9"})).await;
    taken.fails(409, "rfc_duplicado");
    assert_eq!(taken.json()["error"]["mensaje"], "rfc: ya lo tiene el cliente 1");
    ana.put("/clientes/2", json!({"rfc": "EKU9003173C9"})).await.fails(409, "rfc_duplicado");
    // An RFC that is given up is free.
    ana.put("/clientes/2", json!({"rfc": null})).await.ok(200);
    ana.put("/clientes/1", json!({"rfc": "SAT970701NN3"})).await.ok(200);
    // Another company's RFC does not matter.
    let berta = company.world.company().await.admin().await;
    berta.post("/clientes", json!({"nombre": "Eva"})).await.ok(201);
    berta.put("/clientes/1", json!({"rfc": "SAT970701NN3"})).await.ok(200);
}

#[tokio::test]
async fn concurrent_edits_to_one_rfc_have_one_winner() {
    let company = World::new().await.company().await;
    company.load(Resource::Clientes, &customers(10)).await;
    let ana = company.admin().await;
    for rfc in ["SAT970701NN3", "KIJ0906199R1", "ICV060329BY0"] {
        let take = |clave| {
            let ana = &ana;
            async move { ana.put(&format!("/clientes/{clave}"), json!({"rfc": rfc})).await.status }
        };
        let statuses: Vec<u16> = stream::iter(1..=10).map(take).buffer_unordered(10).collect().await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 9, "{statuses:?}");
    }
}

#[tokio::test]
async fn edits_of_different_data_at_once_are_all_kept() {
    let (company, ana) = one_customer().await;
    let edits = ["telefono", "movil", "calle", "colonia", "correo"].map(|field| {
        let mut edit = json!({});
        edit[field] = json!("nuevo");
        ana.put("/clientes/1", edit)
    });
    let replies: Vec<_> = stream::iter(edits).buffer_unordered(5).collect().await;
    assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");
    let row = newest(&company.world).await;
    for field in ["telefono", "movil", "calle", "colonia", "correo"] {
        assert_eq!(row[field], "nuevo", "{field}");
    }
    assert_eq!(company.world.count("emitidos").await, 1, "one event has all changes");
}

#[tokio::test]
async fn another_companys_customer_is_not_found() {
    let (company, ana) = one_customer().await;
    let berta = company.world.company().await.admin().await;
    for (actor, clave) in [(&ana, "2"), (&ana, "0"), (&ana, "-1"), (&ana, "9223372036854775807"), (&berta, "1")] {
        for edit in [json!({}), json!({"nombre": "Eva"}), json!({"rfc": "no es uno"})] {
            actor.put(&format!("/clientes/{clave}"), edit).await.fails(404, "no_encontrado");
        }
        actor.put(&format!("/clientes/{clave}"), json!({"otro": 1})).await.fails(400, "campo_no_permitido");
    }
    assert_eq!(newest(&company.world).await["nombre"], "Ñandú");
}

#[tokio::test]
async fn an_escaped_digit_of_a_clave_is_that_digit() {
    let (_, ana) = one_customer().await;
    ana.put("/clientes/%31", json!({"nombre": "Eva"})).await.ok(200);
}

#[tokio::test]
async fn a_company_in_franchise_cannot_edit_customers() {
    let world = World::new().await;
    let company = world.company_with(CompanyChange { franquicia: Some(true), ..CompanyChange::default() }).await;
    company.load(Resource::Clientes, &customers(1)).await;
    let ana = company.admin().await;
    ana.put("/clientes/1", json!({"nombre": "Eva"})).await.fails(422, "empresa_en_franquicia");
    ana.put("/clientes/2", json!({"nombre": "Eva"})).await.fails(404, "no_encontrado");
    assert_eq!(newest(&world).await["nombre"], "Cliente 1");
    assert_eq!(claves(&ana.walk("/clientes").await), [1]);
}

/// A company with one customer whose every field is set, labels included, and someone with every
/// scope.
async fn one_customer() -> (Company, Actor) {
    let company = World::new().await.company().await;
    let customer = json!({
        "nombre": "Ñandú", "razon_social": "Ñandú, S.A.", "folio": "F-1", "rfc": "EKU9003173C9", "regimen": 601,
        "uso_cfdi": "G03", "cp": "06000", "correo": "a@x.mx", "telefono": "5512345678", "movil": "5587654321",
        "calle": "Av. Juárez 1", "colonia": "Centro", "pais": 172, "id_platform_a": "A", "id_platform_b": "B",
        "id_platform_c": "C", "id_platform_d": "D", "id_platform_e": "E", "plataforma": "a", "publico": true,
        "proximo_contacto": "2026-03-01", "vendedor": company.owner, "limite_credito": "1000.50", "dias_credito": 30,
        "lista": 1,
    });
    company.load(Resource::Clientes, &[customer]).await;
    let ana = company.admin().await;
    (company, ana)
}

#[tokio::test]
async fn a_new_name_is_the_legal_name_too_where_there_was_one() {
    let company = World::new().await.company().await;
    let ana = company.admin().await;
    let records = [json!({"nombre": "La Tienda", "razon_social": "Ana López"}), json!({"nombre": "Luz"})];
    company.load(Resource::Clientes, &records).await;
    for (clave, legal) in [(1, json!("La Tienda Nueva")), (2, Value::Null)] {
        let path = format!("/clientes/{clave}");
        let shown = async || ana.walk(&format!("/clientes?clave={clave}")).await[0]["razon_social"].clone();
        let before = shown().await;
        ana.put(&path, json!({"telefono": "1"})).await.ok(200);
        assert_eq!(shown().await, before);
        ana.put(&path, json!({"nombre": "La Tienda Nueva"})).await.ok(200);
        assert_eq!(shown().await, legal);
    }
}
