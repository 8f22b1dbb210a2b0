//! The columns that the e-mail and phone filters compare: every writer computes them as the filters
//! do.

use serde_json::json;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use svc_core::domain::text::{clean_phone, normalize_email};
use svc_tests::{Resource, World};

/// Phone numbers as people write them, and worse.
const PHONES: [&str; 12] = [
    "+52 (55) 1234-5678",
    "5512345678",
    "52 1 55 1234 5678",
    "1234",
    "55\u{a0}1234\u{3000}5678",
    "55\u{2011}1234\u{200b}5678",
    "5512345678 ext",
    "TELÉFOÑO-ñáñ",
    "１２３４５６７８９０１２",
    "\\N",
    "☎️📞55 1234 5678",
    "()-+",
];

/// E-mails in letters whose lower case depends on locale, neighbours and Unicode version.
const EMAILS: [&str; 8] = [
    "Ana@Example.MX",
    " a@x.mx ,  B@x.mx",
    "a@x.mx,,b@x.mx,",
    "ÑANDÚ@ÁRBOL.MX",
    "İI@x.mx",
    "ΟΔΟΣ@x.mx",
    "ẞǅ\u{a0}@x.mx",
    "\\N@x.mx",
];

#[tokio::test]
async fn every_writer_stores_what_the_filters_compare() {
    let world = World::new().await;
    let company = world.company().await;
    let ana = company.admin().await;
    let rows: Vec<_> = (0..PHONES.len())
        .map(|at| {
            let shorter = PHONES[at].chars().take(14).collect::<String>();
            json!({"nombre": "Cid", "telefono": PHONES[at], "movil": shorter, "correo": EMAILS[at % EMAILS.len()]})
        })
        .collect();
    company.load(Resource::Clientes, &rows).await;
    for row in &rows {
        let created = ana.post("/clientes", row.clone()).await.ok(201)["cliente"].clone();
        ana.post("/clientes", json!({"nombre": "Sin datos"})).await.ok(201);
        ana.put(&format!("/clientes/{created}"), json!({"telefono": null, "movil": null, "correo": ""})).await.ok(200);
        ana.put(&format!("/clientes/{created}"), row.clone()).await.ok(200);
    }
    let columns = "SELECT clave, correo, correo_comparable, telefono, telefono_comparable, movil, movil_comparable
                   FROM clientes ORDER BY clave";
    let stored: Vec<PgRow> = sqlx::query(columns).fetch_all(world.pool()).await.expect("the customers");
    assert_eq!(stored.len(), 3 * rows.len());
    for row in stored {
        for column in ["correo", "telefono", "movil"] {
            let function = if column == "correo" { normalize_email } else { clean_phone };
            let text: Option<&str> = row.get(column);
            let computed: Option<&str> = row.get(&*format!("{column}_comparable"));
            assert_eq!(computed, text.map(function).as_deref(), "{column} of {}: {text:?}", row.get::<i64, _>("clave"));
        }
    }
}
