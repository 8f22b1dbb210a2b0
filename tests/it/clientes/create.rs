//! `POST /clientes`

use futures_util::{StreamExt, stream};
use http::Method;
use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::lists::pick;
use svc_tests::{BASE_URL, World};

use super::{last_event, newest, write_raw};

#[tokio::test]
async fn every_field_is_stored_as_sent() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let body = json!({
        "nombre": "Ferretería Ñandú", "rfc": "EKU9003173C9", "regimen": 601, "uso_cfdi": "G03", "cp": "06000",
        "correo": "a@x.mx", "telefono": "+52 (55) 1234-5678", "movil": "55 8765 4321", "calle": "Av. Juárez 1",
        "colonia": "Centro", "pais": 264,
    });
    let created = ana.post("/clientes", body.clone()).await.ok(201);
    assert_eq!(created, json!({"ok": true, "cliente": 1, "folio": "1", "rfc": "EKU9003173C9"}));
    let row = newest(&world).await;
    for (field, value) in body.as_object().unwrap() {
        assert_eq!(&row[field], value, "{field}");
    }
}

#[tokio::test]
async fn a_name_is_enough() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    let created = ana.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
    assert_eq!(created, json!({"ok": true, "cliente": 1, "folio": "1", "rfc": null}));
    let item = json!({
        "clave": 1, "folio": "1", "nombre": "Ana", "razon_social": null, "rfc": null, "correo": null, "telefono": null,
        "movil": null, "prospecto": false, "id_platform_a": null, "id_platform_b": null, "id_platform_c": null,
        "id_platform_d": null, "id_platform_e": null, "publico": false, "proximo_contacto": null,
        "modificado": "2026-10-12T18:00:00Z",
    });
    assert_eq!(ana.walk("/clientes").await, [item]);
    let row = newest(&world).await;
    assert_eq!(pick(&row, &["pais", "regimen", "uso_cfdi"]), json!({"pais": 172, "regimen": null, "uso_cfdi": null}));
}

#[tokio::test]
async fn claves_and_folios_count_up_in_each_company() {
    let world = World::new().await;
    let [ana, berta] = [world.company().await.admin().await, world.company().await.admin().await];
    for number in 1..=3 {
        for actor in [&ana, &berta] {
            let created = actor.post("/clientes", json!({"nombre": "Ana"})).await.ok(201);
            assert_eq!((&created["cliente"], &created["folio"]), (&json!(number), &json!(number.to_string())));
        }
    }
}

#[tokio::test]
async fn null_and_empty_texts_are_absent() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for nothing in [json!(null), json!(""), json!("  \t ")] {
        let mut body = json!({"nombre": "Ana"});
        for field in OPTIONAL {
            body[field] = nothing.clone();
        }
        ana.post("/clientes", body).await.ok(201);
        let row = newest(&world).await;
        assert_eq!(row["pais"], 172, "{nothing}");
        for field in OPTIONAL.into_iter().filter(|field| *field != "pais") {
            assert_eq!(row[field], Value::Null, "{nothing}: {field}");
        }
    }
}

#[tokio::test]
async fn lengths_count_characters_of_the_trimmed_text() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for (field, max) in
        [("nombre", 100), ("correo", 50), ("telefono", 30), ("movil", 14), ("calle", 200), ("colonia", 50)]
    {
        let mut body = json!({"nombre": "Ana"});
        body[field] = json!(format!("  {}\n", "ñ".repeat(max)));
        ana.post("/clientes", body.clone()).await.ok(201);
        assert_eq!(newest(&world).await[field], "ñ".repeat(max), "{field}");

        body[field] = json!("ñ".repeat(max + 1));
        let reply = ana.post("/clientes", body).await;
        reply.fails(400, "dato_invalido");
        assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{}", reply.mensaje());
    }
}

#[tokio::test]
async fn a_malformed_body_names_its_field_and_writes_nothing() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for (body, codigo, field) in [
        (r"{}", "dato_requerido", "nombre"),
        (r#"{"rfc":"EKU9003173C9"}"#, "dato_requerido", "nombre"),
        (r#"{"nombre":null}"#, "dato_requerido", "nombre"),
        (r#"{"nombre":""}"#, "dato_requerido", "nombre"),
        (r#"{"nombre":" \t\n "}"#, "dato_requerido", "nombre"),
        (r#"{"nombre":5}"#, "dato_invalido", "nombre"),
        (r#"{"nombre":["Ana"]}"#, "dato_invalido", "nombre"),
        (r#"{"nombre":true}"#, "dato_invalido", "nombre"),
        (r#"{"nombre":"A\u0000na"}"#, "dato_invalido", "nombre"),
        (r#"{"nombre":"Ana","calle":"\u0000"}"#, "dato_invalido", "calle"),
        (r#"{"nombre":"Ana","rfc":8003173}"#, "dato_invalido", "rfc"),
        (r#"{"nombre":"Ana","regimen":"601"}"#, "dato_invalido", "regimen"),
        (r#"{"nombre":"Ana","regimen":601.5}"#, "dato_invalido", "regimen"),
        (r#"{"nombre":"Ana","regimen":true}"#, "dato_invalido", "regimen"),
        (r#"{"nombre":"Ana","regimen":9223372036854775808}"#, "dato_invalido", "regimen"),
        (r#"{"nombre":"Ana","uso_cfdi":3}"#, "dato_invalido", "uso_cfdi"),
        (r#"{"nombre":"Ana","cp":6000}"#, "dato_invalido", "cp"),
        (r#"{"nombre":"Ana","cp":"6000"}"#, "dato_invalido", "cp"),
        (r#"{"nombre":"Ana","cp":"060000"}"#, "dato_invalido", "cp"),
        (r#"{"nombre":"Ana","cp":"0600O"}"#, "dato_invalido", "cp"),
        (r#"{"nombre":"Ana","cp":"٠٦٠٠٠"}"#, "dato_invalido", "cp"),
        (r#"{"nombre":"Ana","correo":{}}"#, "dato_invalido", "correo"),
        (r#"{"nombre":"Ana","telefono":5512345678}"#, "dato_invalido", "telefono"),
        (r#"{"nombre":"Ana","pais":"172"}"#, "dato_invalido", "pais"),
        (r#"{"nombre":"Ana","pais":1e999999999999}"#, "dato_invalido", "pais"),
        (r#"{"nombre":"Ana","clave":7}"#, "campo_no_permitido", "clave"),
        (r#"{"nombre":"Ana","folio":"7"}"#, "campo_no_permitido", "folio"),
        (r#"{"nombre":"Ana","empresa":7}"#, "campo_no_permitido", "empresa"),
        (r#"{"nombre":"Ana","vendedor":1}"#, "campo_no_permitido", "vendedor"),
        (r#"{"nombre":"Ana","saldo":"0.00"}"#, "campo_no_permitido", "saldo"),
        (r#"{"nombre":"Ana","razon_social":"A"}"#, "campo_no_permitido", "razon_social"),
        (r#"{"nombre":"Ana","Rfc":null}"#, "campo_no_permitido", "Rfc"),
    ] {
        let reply = write_raw(&ana, Method::POST, "/clientes", body).await;
        assert_eq!((reply.status, &reply.json()["error"]["codigo"]), (400, &json!(codigo)), "{body}");
        assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{body}: {}", reply.mensaje());
    }
    assert_eq!((world.count("clientes").await, world.count("emitidos").await), (0, 0));
}

#[tokio::test]
async fn values_outside_the_catalogues_are_refused() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for (data, codigo) in [
        (json!({"rfc": "ABC991332AB1"}), "rfc_invalido"),
        (json!({"rfc": "ABC010230AB1"}), "rfc_invalido"),
        (json!({"rfc": "ABCD99010"}), "rfc_invalido"),
        (json!({"rfc": "ABC010101ABB"}), "rfc_invalido"),
        (json!({"rfc": "RT0840921RE4"}), "rfc_invalido"),
        (json!({"rfc": "EKU-900317-3C9"}), "rfc_invalido"),
        (json!({"regimen": 609}), "regimen_invalido"),
        (json!({"regimen": -601}), "regimen_invalido"),
        (json!({"regimen": i64::MAX}), "regimen_invalido"),
        (json!({"rfc": "EKU9003173C9", "regimen": 605}), "regimen_incompatible"),
        (json!({"rfc": "COSC8001137NA", "regimen": 601}), "regimen_incompatible"),
        (json!({"rfc": "XAXX010101000", "regimen": 601}), "regimen_incompatible"),
        (json!({"uso_cfdi": "P01"}), "uso_cfdi_invalido"),
        (json!({"uso_cfdi": "G04"}), "uso_cfdi_invalido"),
        (json!({"regimen": 605, "uso_cfdi": "G03"}), "uso_cfdi_incompatible"),
        (json!({"rfc": "EKU9003173C9", "regimen": 601, "uso_cfdi": "D01"}), "uso_cfdi_incompatible"),
        (json!({"rfc": "EKU9003173C9", "uso_cfdi": "D01"}), "uso_cfdi_incompatible"),
        (json!({"rfc": "COSC8001137NA", "regimen": 626, "uso_cfdi": "D01"}), "uso_cfdi_incompatible"),
        (json!({"rfc": "XAXX010101000", "uso_cfdi": "G03"}), "uso_cfdi_incompatible"),
        (json!({"cp": "00001"}), "cp_invalido"),
        (json!({"pais": 0}), "pais_invalido"),
        (json!({"pais": -172}), "pais_invalido"),
        (json!({"pais": i64::MIN}), "pais_invalido"),
    ] {
        let mut body = data.clone();
        body["nombre"] = json!("Ana");
        let reply = ana.post("/clientes", body).await;
        assert_eq!((reply.status, &reply.json()["error"]["codigo"]), (422, &json!(codigo)), "{data}");
        let field = codigo.trim_end_matches("_invalido").trim_end_matches("_incompatible");
        assert!(reply.mensaje().starts_with(&format!("{field}: ")), "{data}: {}", reply.mensaje());
    }
    assert_eq!((world.count("clientes").await, world.count("emitidos").await), (0, 0));
}

#[tokio::test]
async fn matching_regimes_and_uses_are_accepted() {
    let ana = World::new().await.company().await.admin().await;
    for data in [
        json!({"rfc": "EKU9003173C9", "regimen": 601, "uso_cfdi": "G03"}),
        json!({"rfc": "COSC8001137NA", "regimen": 605, "uso_cfdi": "CN01"}),
        json!({"rfc": "CACX7605101P8", "regimen": 612, "uso_cfdi": "I08"}),
        json!({"rfc": "MISC491214B86", "uso_cfdi": "D10"}),
        json!({"rfc": "AAA010101AAA", "regimen": 626}),
        json!({"regimen": 616, "uso_cfdi": "S01"}),
        json!({"uso_cfdi": "D01"}),
        json!({"cp": "00000"}),
        json!({"cp": "99999", "pais": 264}),
    ] {
        let mut body = data.clone();
        body["nombre"] = json!("Ana");
        assert_eq!(ana.post("/clientes", body).await.status, 201, "{data}");
    }
}

#[tokio::test]
async fn the_body_s_fields_are_validated_before_their_values() {
    let ana = World::new().await.company().await.admin().await;
    ana.post("/clientes", json!({"nombre": "Ana", "rfc": "X", "otro": 1})).await.fails(400, "campo_no_permitido");
    ana.post("/clientes", json!({"rfc": "X"})).await.fails(400, "dato_requerido");
    ana.post("/clientes", json!({"nombre": "Ana", "regimen": 1, "movil": "1".repeat(15)}))
        .await
        .fails(400, "dato_invalido");
}

#[tokio::test]
async fn an_rfc_is_trimmed_and_put_in_capitals() {
    let ana = World::new().await.company().await.admin().await;
    for (sent, stored) in
        [(" eku9003173c9\t", "EKU9003173C9"), ("ñuñ010101aa1", "ÑUÑ010101AA1"), ("h&e951128469", "H&E951128469")]
    {
        let created = ana.post("/clientes", json!({"nombre": "Ana", "rfc": sent})).await.ok(201);
        assert_eq!(created["rfc"], stored);
        assert_eq!(ana.get(&format!("/clientes?clave={}", created["cliente"])).await.json()["datos"][0]["rfc"], stored);
    }
}

#[tokio::test]
async fn a_generic_rfc_may_repeat_and_gets_the_defaults() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for (data, uso) in [
        (json!({"rfc": "XAXX010101000"}), "S01"),
        (json!({"rfc": "xaxx010101000", "regimen": null, "uso_cfdi": ""}), "S01"),
        (json!({"rfc": "XEXX010101000"}), "S01"),
        (json!({"rfc": "XEXX010101000", "regimen": 616}), "S01"),
        (json!({"rfc": "XAXX010101000", "uso_cfdi": "CP01"}), "CP01"),
    ] {
        let mut body = data.clone();
        body["nombre"] = json!("Público");
        ana.post("/clientes", body).await.ok(201);
        let row = newest(&world).await;
        assert_eq!((&row["regimen"], &row["uso_cfdi"]), (&json!(616), &json!(uso)), "{data}");
    }
    assert_eq!(ana.walk("/clientes?rfc=XAXX010101000").await.len(), 3);
}

#[tokio::test]
async fn the_addresses_of_an_email_field_are_trimmed() {
    let ana = World::new().await.company().await.admin().await;
    ana.post("/clientes", json!({"nombre": "Ana", "correo": " a@x.mx ,  B@x.mx "})).await.ok(201);
    assert_eq!(ana.walk("/clientes").await[0]["correo"], "a@x.mx,B@x.mx");
}

#[tokio::test]
async fn an_rfc_is_unique_within_a_company() {
    let world = World::new().await;
    let [ana, berta] = [world.company().await.admin().await, world.company().await.admin().await];
    let body = |rfc: &str| json!({"nombre": "Ana", "rfc": rfc});
    ana.post("/clientes", body("EKU9003173C9")).await.ok(201);
    for again in ["EKU9003173C9", " eku9003173c9 "] {
        ana.post("/clientes", body(again)).await.fails(409, "rfc_duplicado");
    }
    berta.post("/clientes", body("EKU9003173C9")).await.ok(201);
    assert_eq!((world.count("clientes").await, world.count("emitidos").await), (2, 2));
}

#[tokio::test]
async fn concurrent_creates_with_one_rfc_have_one_winner() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for round in 1..=5 {
        let rfc = format!("ABC01010{round}AB1");
        let body = json!({"nombre": "Ana", "rfc": rfc});
        // A company may have ten requests in flight.
        let replies: Vec<_> =
            stream::iter(0..20).map(|_| ana.post("/clientes", body.clone())).buffer_unordered(10).collect().await;
        let created = replies.iter().filter(|reply| reply.status == 201).count();
        assert_eq!(created, 1, "{rfc}");
        for refused in replies.iter().filter(|reply| reply.status != 201) {
            refused.fails(409, "rfc_duplicado");
        }
        assert_eq!(ana.walk(&format!("/clientes?rfc={rfc}")).await.len(), 1);
    }
    assert_eq!((world.count("clientes").await, world.count("emitidos").await), (5, 5));
}

#[tokio::test]
async fn a_company_in_franchise_cannot_create_customers() {
    let world = World::new().await;
    let company = world.company_with(CompanyChange { franquicia: Some(true), ..CompanyChange::default() }).await;
    let ana = company.admin().await;
    ana.post("/clientes", json!({"nombre": "Ana"})).await.fails(422, "empresa_en_franquicia");
    ana.post("/clientes", json!({"nombre": ""})).await.fails(400, "dato_requerido");
    assert_eq!((world.count("clientes").await, world.count("emitidos").await), (0, 0));
}

#[tokio::test]
async fn the_creation_emits_an_event() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    ana.write(Method::POST, "/clientes", "una", json!({"nombre": "Ana"})).await.ok(201);
    ana.write(Method::POST, "/clientes", "una", json!({"nombre": "Ana"})).await.ok(200);
    assert_eq!(world.count("emitidos").await, 1);
    let id: String = world.sql("SELECT 'evt_' || replace(id::text, '-', '') FROM emitidos").await;
    let expected = json!({
        "id": id,
        "tipo": "cliente.creado",
        "creado": "2026-10-12T18:00:00Z",
        "empresa": company.id.0,
        "datos": {"cliente": 1},
        "recurso": {"tipo": "clientes", "clave": 1, "url": format!("{BASE_URL}/clientes?clave=1")},
    });
    assert_eq!(last_event(&world).await, expected);
}

const OPTIONAL: [&str; 10] =
    ["rfc", "regimen", "uso_cfdi", "cp", "correo", "telefono", "movil", "calle", "colonia", "pais"];
