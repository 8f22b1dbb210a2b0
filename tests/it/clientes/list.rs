//! `GET /clientes`: records and filters.

use serde_json::{Value, json};
use svc_tests::lists::{claves, finds};
use svc_tests::{Actor, Resource, World};

#[tokio::test]
async fn an_item_has_every_field_and_nulls_stay() {
    let company = World::new().await.company().await;
    let complete = json!({
        "clave": 7, "folio": "F-7", "nombre": "Ñandú", "razon_social": "Ferretería Ñandú, S.A. de C.V.",
        "rfc": "EKU9003173C9", "correo": "a@x.mx", "telefono": "55 1234 5678", "movil": "(55) 8765-4321",
        "prospecto": true, "id_platform_a": "A1", "id_platform_b": "B1", "id_platform_c": "C1", "id_platform_d": "D1",
        "id_platform_e": "E1", "publico": true, "proximo_contacto": "2026-03-01", "modificado": "2026-01-02T03:04:05Z",
    });
    let bare = json!({
        "clave": 8, "folio": "8", "nombre": "Bo", "razon_social": null, "rfc": null, "correo": null, "telefono": null,
        "movil": null, "prospecto": false, "id_platform_a": null, "id_platform_b": null, "id_platform_c": null,
        "id_platform_d": null, "id_platform_e": null, "publico": false, "proximo_contacto": null,
        "modificado": "2026-10-12T18:00:00Z",
    });
    company.load(Resource::Clientes, &[complete.clone(), json!({"nombre": "Bo"})]).await;
    let page = company.admin().await.get("/clientes").await.ok(200);
    assert_eq!(page, json!({"ok": true, "datos": [complete, bare], "siguiente": null, "hay_mas": false}));
}

#[tokio::test]
async fn exact_filters_find_the_whole_value_only() {
    let ana = directory().await;
    finds(
        &ana,
        "/clientes",
        &[
            ("", &[1, 2, 3, 4, 5]),
            ("clave=3", &[3]),
            ("clave=6", &[]),
            ("clave=-3", &[]),
            ("folio=F-001", &[1]),
            ("folio=f-001", &[2]),
            ("folio=F-00", &[]),
            ("folio=%25", &[]),
            ("folio=F-00_", &[]),
            ("rfc=EKU9003173C9", &[1]),
            ("rfc=XAXX010101000", &[3, 4]),
            ("rfc=EKU9003173", &[]),
            ("rfc=*", &[]),
            ("prospecto=true", &[2]),
            ("prospecto=false", &[1, 3, 4, 5]),
            ("publico=true", &[3]),
            ("publico=false", &[1, 2, 4, 5]),
            ("uso_cfdi=G03", &[1]),
            ("uso_cfdi=CP01", &[4]),
            ("uso_cfdi=G0_", &[]),
            ("id_platform_a=X-1", &[1]),
            ("id_platform_b=X-1", &[2]),
            ("id_platform_c=X-1", &[3]),
            ("id_platform_d=X-1", &[4]),
            ("id_platform_e=X-1", &[5]),
            ("id_platform_a=X", &[]),
            ("id_platform_a=x-1", &[]),
            ("id_platform_e=X-2", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn an_email_is_found_by_the_whole_field_in_any_case_and_spacing() {
    let ana = directory().await;
    finds(
        &ana,
        "/clientes",
        &[
            ("correo=compras@nandu.mx,pagos@nandu.mx", &[1]),
            ("correo=COMPRAS@NANDU.MX,%20%20Pagos@Nandu.mx%20", &[1]),
            ("correo=compras@nandu.mx+,+pagos@nandu.mx", &[1]),
            ("correo=compras@nandu.mx", &[]),
            ("correo=pagos@nandu.mx", &[]),
            ("correo=pagos@nandu.mx,compras@nandu.mx", &[]),
            ("correo=ana@nandu.mx", &[2]),
            ("correo=an_@nandu.mx", &[]),
            ("correo=%25", &[]),
            // peña@x.mx, stored in capitals.
            ("correo=pe%C3%B1a@x.mx", &[3]),
            ("correo=PE%C3%91A@X.MX", &[3]),
        ],
    )
    .await;
}

#[tokio::test]
async fn an_email_is_found_by_the_text_it_was_sent_as_in_any_script() {
    let ana = World::new().await.company().await.admin().await;
    let mut lost = Vec::new();
    for correo in ["ΝΙΚΟΣ@x.gr", "İrem@x.tr", "a\u{a0}b@x.mx", "Straße@x.de", " ÁÉÍ@x.mx ; b@x.mx", "a@x.mx,,b@x.mx,"]
    {
        let created = ana.post("/clientes", json!({"nombre": "Ana", "correo": correo})).await.ok(201);
        let found = ana.walk(&format!("/clientes?correo={}", encoded(correo))).await;
        if claves(&found) != [created["cliente"].as_i64().unwrap()] {
            lost.push(correo);
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
}

#[tokio::test]
async fn phones_are_compared_by_their_last_ten_characters() {
    let ana = directory().await;
    finds(
        &ana,
        "/clientes",
        &[
            // 1 has +52 (55) 1234-5678; 2 has 5512345678; 4 has 1234; 5 has 55 1234 5678.
            ("telefono=5512345678", &[1, 2, 5]),
            ("telefono=%2B52+1+(55)+1234-5678", &[1, 2, 5]),
            ("telefono=005512345678", &[1, 2, 5]),
            ("telefono=12345678", &[]),
            ("telefono=1234", &[4]),
            ("telefono=551234567_", &[]),
            ("telefono=5587654321", &[]),
            ("movil=5587654321", &[1, 4]),
            ("movil=044-55-8765-4321", &[1, 4]),
            ("movil=5512345678", &[]),
            ("movil=1234", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn phones_are_compared_without_spaces_of_any_kind() {
    let ana = World::new().await.company().await.admin().await;
    for (field, phone) in [("telefono", "55\u{a0}1234\u{a0}5678"), ("movil", "55\u{2009}8765\u{202f}4321")] {
        let mut body = json!({"nombre": "Ana"});
        body[field] = json!(phone);
        ana.post("/clientes", body).await.ok(201);
    }
    finds(&ana, "/clientes", &[("telefono=5512345678", &[1]), ("movil=55%C2%A08765%C2%A04321", &[2])]).await;
}

#[tokio::test]
async fn date_filters_include_their_bounds() {
    let ana = directory().await;
    finds(
        &ana,
        "/clientes",
        &[
            // Changed on 1 January at 0:00, on 2 January at 12:00, on 3 January at 0:00 (3 and 4)
            // and on 4 January.
            ("modificado_desde=2026-01-01", &[1, 2, 3, 4, 5]),
            ("modificado_desde=2026-01-01T00:00:00Z", &[1, 2, 3, 4, 5]),
            ("modificado_desde=2026-01-01T00:00:01Z", &[2, 3, 4, 5]),
            ("modificado_desde=2026-01-02", &[2, 3, 4, 5]),
            ("modificado_desde=2026-01-02T12:00:00Z", &[2, 3, 4, 5]),
            ("modificado_desde=2026-01-02T12:00:01Z", &[3, 4, 5]),
            ("modificado_desde=2026-01-03", &[3, 4, 5]),
            ("modificado_desde=2026-01-05", &[]),
            // To be contacted on 1, 2 and 3 March (customers 1, 2 and 4); 3 and 5 have no date.
            ("proximo_contacto_desde=2026-03-01", &[1, 2, 4]),
            ("proximo_contacto_desde=2026-03-02", &[2, 4]),
            ("proximo_contacto_desde=2026-03-02T00:00:00Z", &[2, 4]),
            ("proximo_contacto_desde=2026-03-04", &[]),
            ("proximo_contacto_hasta=2026-03-02", &[1, 2]),
            ("proximo_contacto_hasta=2026-03-02T00:00:00Z", &[1, 2]),
            ("proximo_contacto_hasta=2026-03-01T23:59:59Z", &[1]),
            ("proximo_contacto_hasta=2026-02-28", &[]),
            ("proximo_contacto_desde=2026-03-02&proximo_contacto_hasta=2026-03-02", &[2]),
            ("proximo_contacto_desde=2026-03-02T00:00:00Z&proximo_contacto_hasta=2026-03-02T00:00:00Z", &[2]),
        ],
    )
    .await;
}

#[tokio::test]
async fn records_must_match_all_filters() {
    let ana = directory().await;
    finds(
        &ana,
        "/clientes",
        &[
            ("telefono=5512345678&prospecto=true", &[2]),
            ("rfc=XAXX010101000&publico=false", &[4]),
            ("rfc=XAXX010101000&uso_cfdi=S01&publico=true&prospecto=false&clave=3", &[3]),
            ("rfc=XAXX010101000&prospecto=true", &[]),
            ("folio=F-001&clave=2", &[]),
            ("modificado_desde=2026-01-02&proximo_contacto_hasta=2026-03-02", &[2]),
        ],
    )
    .await;
}

/// A user of a company with five customers; another company has the same ones.
async fn directory() -> Actor {
    let world = World::new().await;
    let [company, other] = [world.company().await, world.company().await];
    for company in [&company, &other] {
        company.load(Resource::Clientes, &five()).await;
    }
    company.admin().await
}

fn five() -> [Value; 5] {
    [
        json!({
            "nombre": "Ferretería Ñandú", "rfc": "EKU9003173C9", "regimen": 601, "uso_cfdi": "G03", "folio": "F-001",
            "correo": "Compras@Nandu.MX, pagos@nandu.mx", "telefono": "+52 (55) 1234-5678", "movil": "044 55 8765 4321",
            "id_platform_a": "X-1", "proximo_contacto": "2026-03-01", "modificado": "2026-01-01T00:00:00Z",
        }),
        json!({
            "nombre": "Ana", "prospecto": true, "folio": "f-001", "correo": "ana@nandu.mx", "telefono": "5512345678",
            "id_platform_b": "X-1", "proximo_contacto": "2026-03-02", "modificado": "2026-01-02T12:00:00Z",
        }),
        json!({
            "nombre": "Público en general", "publico": true, "rfc": "XAXX010101000", "regimen": 616, "uso_cfdi": "S01",
            "correo": "PEÑA@x.mx", "id_platform_c": "X-1", "modificado": "2026-01-03T00:00:00Z",
        }),
        json!({
            "nombre": "Mostrador", "rfc": "XAXX010101000", "regimen": 616, "uso_cfdi": "CP01", "telefono": "1234",
            "movil": "(55) 8765-4321", "id_platform_d": "X-1", "proximo_contacto": "2026-03-03",
            "modificado": "2026-01-03T00:00:00Z",
        }),
        json!({
            "nombre": "Sin nada", "telefono": "55 1234 5678", "id_platform_e": "X-1",
            "modificado": "2026-01-04T00:00:00Z",
        }),
    ]
}

/// A text encoded for a query.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |query, byte| format!("{query}%{byte:02X}"))
}
