//! `/cxp`

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::imports::{blames, refuses_fields_beside};
use svc_tests::lists::{finds, pick};
use svc_tests::{Actor, Company, Resource, World};

const UUID: &str = "5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d";

#[tokio::test]
async fn an_item_has_every_field_and_nulls_stay() {
    let company = debtor(&World::new().await).await;
    let complete = json!({
        "clave": 7, "folio": "CP-70", "tipo": "compra", "estatus": "pendiente", "proveedor": 2, "compra": 12,
        "factura": "A-1, A-2", "uuid": UUID, "fecha": "2026-01-02", "vencimiento": "2026-02-01", "moneda": "USD",
        "tipo_cambio": "17.543200", "total": "1160.00", "pagado": "1200.123456", "saldo": "-40.123456", "sucursal": 0,
        "operaciones": 3, "concepto": "Acero", "modificado": "2026-01-03T00:00:00Z",
    });
    let bare = json!({
        "clave": 8, "folio": "8", "tipo": "gasto", "estatus": "pendiente", "proveedor": 0, "compra": null,
        "factura": null, "uuid": null, "fecha": "2026-10-12", "vencimiento": null, "moneda": "MXN",
        "tipo_cambio": "1.000000", "total": "0.00", "pagado": "0.00", "saldo": "0.00", "sucursal": 0, "operaciones": 1,
        "concepto": null, "modificado": "2026-10-12T18:00:00Z",
    });
    let mut nulls = bare.clone();
    for (_, value) in nulls.as_object_mut().unwrap() {
        *value = Value::Null;
    }
    let mut third = bare.clone();
    third["clave"] = json!(9);
    third["folio"] = json!("9");
    assert_eq!(company.import(Resource::Cxp, &[complete.clone(), json!({}), nulls]).await, Ok(3));
    let reply = company.admin().await.get("/cxp").await;
    let page = reply.ok(200);
    assert_eq!(page, json!({"ok": true, "datos": [complete, bare, third], "siguiente": null, "hay_mas": false}));
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    let bare = concat!(
        r#"{"clave":8,"folio":"8","tipo":"gasto","estatus":"pendiente","proveedor":0,"compra":null,"factura":null,"#,
        r#""uuid":null,"fecha":"2026-10-12","vencimiento":null,"moneda":"MXN","tipo_cambio":"1.000000","#,
        r#""total":"0.00","pagado":"0.00","saldo":"0.00","sucursal":0,"operaciones":1,"concepto":null,"#,
        r#""modificado":"2026-10-12T18:00:00Z"}"#,
    );
    assert!(text.contains(bare), "{text}");
}

#[tokio::test]
async fn without_a_status_only_pending_ones_are_shown() {
    let ana = ten_payables().await;
    finds(
        &ana,
        "/cxp",
        &[
            ("", &[1, 2, 3, 4, 5, 6, 9, 10]),
            ("estatus=pendiente", &[1, 2, 3, 4, 5, 6, 9, 10]),
            ("estatus=pagado", &[7]),
            ("estatus=cancelado", &[8]),
            ("clave=1", &[1]),
            ("clave=7", &[]),
            ("clave=7&estatus=pagado", &[7]),
            ("clave=8", &[]),
            ("clave=8&estatus=cancelado", &[8]),
        ],
    )
    .await;
}

#[tokio::test]
async fn filters_find_exactly_what_matches() {
    let ana = ten_payables().await;
    finds(
        &ana,
        "/cxp",
        &[
            ("clave=99", &[]),
            ("tipo=compra", &[1, 4]),
            ("tipo=gasto", &[2, 3, 5, 6, 9, 10]),
            ("tipo=compra&estatus=pagado", &[7]),
            ("proveedor=1", &[1, 2]),
            ("proveedor=2", &[3]),
            ("proveedor=0", &[4, 5, 6, 9, 10]),
            ("proveedor=2&estatus=cancelado", &[8]),
            ("proveedor=99", &[]),
            ("uuid=5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d", &[1]),
            ("uuid=5A5F2D3C-8B1E-4C6A-9F0D-1E2F3A4B5C6D", &[1]),
            ("uuid=00000000-0000-0000-0000-000000000000", &[]),
            // The status differs from the requested one.
            ("uuid=11111111-aaaa-4c6a-9f0d-1e2f3a4b5c6d", &[]),
            ("uuid=11111111-AAAA-4c6a-9f0d-1e2f3a4b5c6d&estatus=pagado", &[7]),
            ("proveedor=1&tipo=gasto", &[2]),
            ("proveedor=1&tipo=compra&clave=1", &[1]),
            ("proveedor=2&tipo=compra", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn con_saldo_means_something_is_still_owed() {
    let ana = ten_payables().await;
    finds(
        &ana,
        "/cxp",
        &[
            ("con_saldo=true", &[1, 2, 3, 6, 9, 10]),
            ("con_saldo=false", &[4, 5]),
            ("con_saldo=true&estatus=pagado", &[]),
            ("con_saldo=false&estatus=pagado", &[7]),
            ("con_saldo=true&estatus=cancelado", &[8]),
            ("con_saldo=false&estatus=cancelado", &[]),
            ("con_saldo=true&proveedor=1", &[1, 2]),
            ("con_saldo=false&proveedor=1", &[]),
            ("con_saldo=true&tipo=compra", &[1]),
            ("con_saldo=false&tipo=compra", &[4]),
            ("con_saldo=true&clave=6", &[6]),
            ("con_saldo=false&clave=6", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn overdue_means_owed_and_due_before_today() {
    let ana = ten_payables().await;
    finds(
        &ana,
        "/cxp",
        &[
            // 3 is due today, 9 tomorrow, 6 never; 4 and 5 were due but leave nothing to pay.
            ("vencido=true", &[1, 2, 10]),
            ("vencido=false", &[3, 4, 5, 6, 9]),
            ("vencido=true&estatus=pagado", &[]),
            ("vencido=false&estatus=pagado", &[7]),
            ("vencido=true&estatus=cancelado", &[8]),
            ("vencido=false&estatus=cancelado", &[]),
            ("vencido=true&con_saldo=true", &[1, 2, 10]),
            ("vencido=true&con_saldo=false", &[]),
            ("vencido=false&con_saldo=true", &[3, 6, 9]),
            ("vencido=false&con_saldo=false", &[4, 5]),
            ("vencido=true&proveedor=1", &[1, 2]),
            ("vencido=true&proveedor=1&tipo=gasto&con_saldo=true", &[2]),
            ("vencido=false&proveedor=2&tipo=gasto&con_saldo=true&estatus=pendiente", &[3]),
            ("vencido=true&clave=3", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn today_is_the_day_in_utc() {
    let company = debtor(&World::new().await).await;
    company.load(Resource::Cxp, &[json!({"total": 1, "vencimiento": "2026-10-12"})]).await;
    let ana = company.admin().await;
    let clock = &company.world.clock;
    // The last second of the day in UTC, then midnight, when it is 18:00 of the same day in Mexico.
    clock.advance(TimeDelta::hours(6) - TimeDelta::seconds(1));
    finds(&ana, "/cxp", &[("vencido=true", &[]), ("vencido=false", &[1])]).await;
    clock.advance(TimeDelta::seconds(1));
    finds(&ana, "/cxp", &[("vencido=true", &[1]), ("vencido=false", &[])]).await;
    // Records are dated by the day in Mexico.
    company.load(Resource::Cxp, &[json!({})]).await;
    let fecha = ana.get("/cxp?clave=2").await.ok(200)["datos"][0]["fecha"].clone();
    assert_eq!(fecha, "2026-10-12");
}

#[tokio::test]
async fn amounts_left_out_follow_from_the_others() {
    let company = debtor(&World::new().await).await;
    let records = [
        json!({"total": "100.00", "pagado": "30.50"}),
        json!({"total": "100.00", "pagado": "130.50"}),
        json!({"total": "-100.00"}),
        json!({"pagado": -5}),
        json!({"total": "100.00", "saldo": "30.00"}),
        json!({"pagado": "30.00", "saldo": "70.00"}),
        json!({"total": "100.00", "pagado": "30.00", "saldo": "70"}),
        json!({"saldo": "-999999999999999999.99"}),
    ];
    company.load(Resource::Cxp, &records).await;
    let shown = company.admin().await.walk("/cxp").await;
    let amounts: Vec<_> = shown.iter().map(|row| pick(row, &["total", "pagado", "saldo"])).collect();
    let expected = [
        json!({"total": "100.00", "pagado": "30.50", "saldo": "69.50"}),
        json!({"total": "100.00", "pagado": "130.50", "saldo": "-30.50"}),
        json!({"total": "-100.00", "pagado": "0.00", "saldo": "-100.00"}),
        json!({"total": "0.00", "pagado": "-5.00", "saldo": "5.00"}),
        json!({"total": "100.00", "pagado": "70.00", "saldo": "30.00"}),
        json!({"total": "100.00", "pagado": "30.00", "saldo": "70.00"}),
        json!({"total": "100.00", "pagado": "30.00", "saldo": "70.00"}),
        json!({"total": "-999999999999999999.99", "pagado": "0.00", "saldo": "-999999999999999999.99"}),
    ];
    assert_eq!(amounts, expected);
}

#[tokio::test]
async fn status_and_amounts_of_a_line_agree() {
    let company = debtor(&World::new().await).await;
    let good = [
        json!({"total": "100", "pagado": "100"}),
        json!({"total": "100", "saldo": "0"}),
        json!({"estatus": "pagado", "total": "100"}),
        json!({"estatus": "pagado", "pagado": "100", "saldo": "0"}),
        json!({"estatus": "cancelado", "total": "100", "pagado": "30", "saldo": "0"}),
        json!({"estatus": "cancelado", "total": "100", "pagado": "30", "saldo": "70"}),
        json!({"estatus": "pendiente", "total": "100", "pagado": "100"}),
    ];
    company.load(Resource::Cxp, &good).await;
    let ana = company.admin().await;
    let fields = ["estatus", "total", "pagado", "saldo"];
    for (clave, expected) in (1..).zip([
        ["pagado", "100.00", "100.00", "0.00"],
        ["pagado", "100.00", "100.00", "0.00"],
        ["pagado", "100.00", "100.00", "0.00"],
        ["pagado", "100.00", "100.00", "0.00"],
        ["cancelado", "100.00", "30.00", "0.00"],
        ["cancelado", "100.00", "30.00", "70.00"],
        ["pendiente", "100.00", "100.00", "0.00"],
    ]) {
        let shown = &ana.get(&format!("/cxp?clave={clave}&estatus={}", expected[0])).await.ok(200)["datos"][0];
        assert_eq!(fields.map(|field| shown[field].as_str()), expected.map(Some), "{clave}");
    }
    for (line, field) in [
        (json!({"total": "100", "pagado": "30", "saldo": "0"}), "saldo"),
        (json!({"total": "100", "pagado": "30", "saldo": "70.01"}), "saldo"),
        (json!({"estatus": "cancelado", "total": "100", "pagado": "30", "saldo": "1"}), "saldo"),
        (json!({"estatus": "pagado", "total": "100", "pagado": "30"}), "estatus"),
        (json!({"estatus": "pagado", "total": "100", "saldo": "100"}), "estatus"),
        (json!({"estatus": "pagado", "saldo": "-1"}), "estatus"),
        (json!({"total": "999999999999999999", "saldo": "-1"}), "pagado"),
        (json!({"pagado": "999999999999999999", "saldo": "1"}), "total"),
    ] {
        blames(company.import(Resource::Cxp, &[json!({}), line.clone()]).await, 2, &format!("{field}: "));
    }
}

#[tokio::test]
async fn a_fiscal_folio_is_one_payable_s() {
    let world = World::new().await;
    let company = debtor(&world).await;
    let cancelled = json!({"estatus": "cancelado", "total": 1, "uuid": UUID});
    company
        .load(Resource::Cxp, &[cancelled.clone(), cancelled, json!({"total": 1, "uuid": UUID.to_uppercase()})])
        .await;
    let twice = [json!({"total": 1}), json!({"total": 1, "uuid": UUID})];
    blames(company.import(Resource::Cxp, &twice).await, 2, "uuid: ");
    let other = "11111111-aaaa-4c6a-9f0d-1e2f3a4b5c6d";
    let in_one_file = [json!({"uuid": other}), json!({}), json!({"uuid": other.to_uppercase()})];
    blames(company.import(Resource::Cxp, &in_one_file).await, 3, "uuid: ");
    // Another company has folios of its own.
    debtor(&world).await.load(Resource::Cxp, &[json!({"uuid": UUID})]).await;
    let capture = |uuid: &str| json!({"total": "116", "uuid": uuid});
    let refused = company.run_by_name("payable.capture", &capture(&UUID.to_uppercase())).await.unwrap_err();
    assert_eq!((refused.code().codigo(), refused.status().as_u16()), ("uuid_duplicado", 409));
    let input = capture(other);
    let both =
        tokio::join!(company.run_by_name("payable.capture", &input), company.run_by_name("payable.capture", &input));
    let outcomes = [both.0, both.1].map(|outcome| outcome.map(|_| ()).map_err(|error| error.code().codigo()));
    assert!(outcomes.contains(&Ok(())) && outcomes.contains(&Err("uuid_duplicado")), "{outcomes:?}");
}

#[tokio::test]
async fn a_bad_line_is_named_with_its_field() {
    let company = debtor(&World::new().await).await;
    let table = [
        ("clave", json!(0)),
        ("folio", json!(7)),
        ("tipo", json!("venta")),
        ("estatus", json!("vigente")),
        ("proveedor", json!(99)),
        ("proveedor", json!(-1)),
        ("compra", json!(0)),
        ("compra", json!("OC-1")),
        ("factura", json!("ñ".repeat(256))),
        ("uuid", json!("5a5f2d3c8b1e4c6a9f0d1e2f3a4b5c6d")),
        ("uuid", json!("5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6g")),
        ("fecha", json!("2026-02-30")),
        ("fecha", json!("2026-02-03T00:00:00Z")),
        ("vencimiento", json!(20_260_203)),
        ("moneda", json!("ZZZ")),
        ("tipo_cambio", json!(0)),
        ("total", json!("1,000")),
        ("pagado", json!("1.1234567")),
        ("saldo", json!(true)),
        ("saldo", json!("1e3")),
        ("sucursal", json!(9)),
        ("operaciones", json!(0)),
        ("concepto", json!(["Acero"])),
        ("modificado", json!("ayer")),
        ("proveedor_ref", json!(1)),
    ];
    refuses_fields_beside(&company, Resource::Cxp, &json!({"proveedor": 1}), &json!({}), &table).await;
    let vast = json!({"total": "999999999999999999", "pagado": "-999999999999999999"});
    let error = company.import(Resource::Cxp, &[vast]).await.unwrap_err();
    assert!(error.starts_with("línea 1: saldo: "), "{error}");
    assert_eq!(company.world.count("cxp").await, 0);
}

#[tokio::test]
async fn listed_records_can_be_imported_into_another_company() {
    let world = World::new().await;
    let [one, other] = [debtor(&world).await, debtor(&world).await];
    one.load(Resource::Cxp, &ten()).await;
    let [ana, eva] = [one.admin().await, other.admin().await];
    for (estatus, count) in [("pendiente", 8), ("pagado", 1), ("cancelado", 1)] {
        let list = format!("/cxp?estatus={estatus}");
        let shown = ana.walk(&list).await;
        assert_eq!(shown.len(), count, "{estatus}");
        other.load(Resource::Cxp, &shown).await;
        assert_eq!(eva.walk(&list).await, shown, "{estatus}");
    }
}

/// A company with two suppliers.
async fn debtor(world: &World) -> Company {
    let company = world.company().await;
    let suppliers = [json!({"nombre": "Aceros"}), json!({"nombre": "Pinturas"})];
    company.load(Resource::Proveedores, &suppliers).await;
    company
}

/// A user of a company with ten payables.
async fn ten_payables() -> Actor {
    let company = debtor(&World::new().await).await;
    company.load(Resource::Cxp, &ten()).await;
    company.admin().await
}

/// Today is 2026-10-12.
fn ten() -> [Value; 10] {
    [
        json!({"proveedor": 1, "tipo": "compra", "compra": 5, "uuid": UUID.to_uppercase(), "total": 100,
               "vencimiento": "2026-10-11"}),
        json!({"proveedor": 1, "total": 100, "pagado": "99.999999", "vencimiento": "2020-01-01"}),
        json!({"proveedor": 2, "total": 100, "vencimiento": "2026-10-12"}),
        json!({"tipo": "compra", "estatus": "pendiente", "total": 100, "pagado": 100, "vencimiento": "2026-10-11"}),
        json!({"total": 100, "pagado": 150, "vencimiento": "2026-10-11"}),
        json!({"total": 100, "fecha": "2020-01-01"}),
        json!({"tipo": "compra", "estatus": "pagado", "total": 100, "pagado": 100, "vencimiento": "2026-10-11",
               "uuid": "11111111-aaaa-4c6a-9f0d-1e2f3a4b5c6d"}),
        json!({"proveedor": 2, "estatus": "cancelado", "total": 100, "vencimiento": "2026-10-11"}),
        json!({"total": "0.000001", "vencimiento": "2026-10-13"}),
        json!({"saldo": "0.01", "vencimiento": "2026-10-11", "operaciones": 4}),
    ]
}
