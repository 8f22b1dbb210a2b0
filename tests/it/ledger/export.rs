//! `ledger.export`

use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::authority::validate_books;
use svc_tests::{Company, World, books};

use super::{entry, fee, movement, order};
use crate::backoffice::did;
use crate::backoffice::shop::{captured, invoiced, nails, shop, with};

async fn exported(company: &Company, input: Value) -> Vec<u8> {
    company.download("ledger.export", &input).await.expect("a document").expect("a file").to_vec()
}

/// The document, valid by its schema.
async fn document(company: &Company, que: &str, mes: &str) -> String {
    let schema = match que {
        "catalogo" => "CatalogoCuentas",
        "balanza" => "BalanzaComprobacion",
        _ => "PolizasPeriodo",
    };
    let xml = exported(company, json!({"que": que, "mes": mes})).await;
    validate_books(schema, &xml);
    String::from_utf8(xml).expect("UTF-8")
}

async fn refused(company: &Company, input: Value, codigo: &str, said: &str) {
    let error = company.download("ledger.export", &input).await.expect_err("it is refused");
    assert_eq!(error.code().codigo(), codigo, "{input}: {error}");
    assert!(error.mensaje().starts_with(said), "{input}: {error}");
}

#[tokio::test]
async fn the_documents_of_a_month_are_valid_and_say_what_the_ledger_says() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    invoiced(&ana, &order()).await;
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    let dollars = with(&order(), json!({"moneda": "USD", "tipo_cambio": "18.123456"}));
    let (_, factura) = invoiced(&ana, &dollars).await;
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    captured(&company, &nails("venta")).await;
    let own = json!({"cuenta": "6000-010", "nombre": "Peña & Muñoz <S.C.>", "agrupador": "601.84"});
    did(company.run_by_name("account.edit", &own).await);
    did(company.run_by_name("account.edit", &json!({"cuenta": "105.01", "numero": "105"})).await);
    let strange = with(
        &entry("2026-10-12", &[movement("6000-010", "7.5"), movement("102.01", "-7.50")]),
        json!({"concepto": "Línea 1\u{1}\nÑandú \"& <co>\""}),
    );
    did(company.run_by_name("ledger.entry", &strange).await);
    captured(&company, &nails("venta")).await;

    let catalogue = document(&company, "catalogo", "2026-10").await;
    let own = r#"<catalogocuentas:Ctas CodAgrup="601.84" NumCta="6000-010" Desc="Peña &amp; Muñoz &lt;S.C.&gt;" SubCtaDe="601" Nivel="2" Natur="D">"#;
    assert!(catalogue.contains(own), "{catalogue}");
    assert!(
        catalogue.contains(r#"CodAgrup="105.01" NumCta="105" Desc="Clientes nacionales" Nivel="1" Natur="D""#),
        "{catalogue}"
    );
    let balance = document(&company, "balanza", "2026-10").await;
    let said = did(company.run_by_name("ledger.balance", &json!({})).await);
    for row in said["cuentas"].as_array().unwrap() {
        let (number, debits, credits) =
            (row["cuenta"].as_str().unwrap(), row["cargos"].as_str().unwrap(), row["abonos"].as_str().unwrap());
        let shown = format!(r#"NumCta="{number}" SaldoIni="0.00" Debe="{debits}" Haber="{credits}""#);
        assert!(balance.contains(&shown), "{shown}\n{balance}");
    }
    assert!(
        balance.contains(r#"NumCta="401.01" SaldoIni="0.00" Debe="0.00" Haber="4224.69" SaldoFin="4224.69""#),
        "{balance}"
    );
    let entries = document(&company, "polizas", "2026-10").await;
    let uuid = ana.walk(&format!("/facturas?clave={factura}")).await[0]["uuid"].as_str().unwrap().to_uppercase();
    let voucher = format!(
        r#"<PLZ:CompNal UUID_CFDI="{uuid}" RFC="XIA190128J61" MontoTotal="232.00" Moneda="USD" TipCamb="18.12346">"#
    );
    assert!(entries.contains(&voucher), "{entries}");
    assert!(entries.contains(r#"Concepto="Línea 1  Ñandú &quot;&amp; &lt;co&gt;&quot;""#), "{entries}");
    // A correction, and what comes with a request of the authority.
    let correction = exported(
        &company,
        json!({"que": "balanza", "mes": "2026-10", "tipo_envio": "C", "fecha_modificacion": "2026-11-20"}),
    )
    .await;
    validate_books("BalanzaComprobacion", &correction);
    assert!(String::from_utf8(correction).unwrap().contains(r#"TipoEnvio="C" FechaModBal="2026-11-20""#));
    let asked = exported(
        &company,
        json!({"que": "polizas", "mes": "2026-10", "tipo_solicitud": "AF", "num_orden": "ABC1234567/89"}),
    )
    .await;
    validate_books("PolizasPeriodo", &asked);
    let refund = exported(
        &company,
        json!({"que": "polizas", "mes": "2026-10", "tipo_solicitud": "DE", "num_tramite": "AB123456789012"}),
    )
    .await;
    validate_books("PolizasPeriodo", &refund);
    books::check(&world, &company).await;
}

#[tokio::test]
async fn a_month_without_entries_has_a_catalogue_and_a_balance() {
    let world = World::new().await;
    let company = shop(&world).await;
    for que in ["catalogo", "balanza"] {
        document(&company, que, "2026-10").await;
        document(&company, que, "2026-12").await;
    }
    document(&company, "balanza", "2026-13").await;
    refused(
        &company,
        json!({"que": "polizas", "mes": "2026-10"}),
        "documento_no_disponible",
        "el mes no tiene pólizas",
    )
    .await;
    did(company.run_by_name("ledger.entry", &fee("2026-10-31")).await);
    document(&company, "polizas", "2026-10").await;
    let later = document(&company, "balanza", "2026-11").await;
    assert!(
        later.contains(r#"NumCta="701.10" SaldoIni="100.00" Debe="0.00" Haber="0.00" SaldoFin="100.00""#),
        "{later}"
    );
    let other = shop(&world).await;
    refused(&other, json!({"que": "polizas", "mes": "2026-10"}), "documento_no_disponible", "").await;
    for (input, said) in [
        (json!({"que": "polizas", "mes": "2026-13"}), "mes: "),
        (json!({"que": "balanza", "mes": "2026-14"}), "mes: "),
        (json!({"que": "balanza", "mes": "2026-00"}), "mes: "),
        (json!({"que": "balanza", "mes": "26-10-1"}), "mes: "),
        (json!({"que": "balanza", "mes": "2014-10"}), "mes: "),
        (json!({"que": "diario", "mes": "2026-10"}), "que: "),
        (json!({"que": "polizas", "mes": "2026-10", "tipo_solicitud": "XX"}), "tipo_solicitud: "),
        (json!({"que": "polizas", "mes": "2026-10", "num_orden": "ABC1234567-89"}), "num_orden: "),
        (json!({"que": "polizas", "mes": "2026-10", "num_tramite": "1234567890ABCD"}), "num_tramite: "),
    ] {
        refused(&company, input, "dato_invalido", said).await;
    }
    let without = json!({"que": "polizas", "mes": "2026-10", "tipo_solicitud": "AF"});
    refused(&company, without, "dato_requerido", "num_orden: ").await;
}

#[tokio::test]
async fn a_file_has_the_name_that_the_authority_wants() {
    let world = World::new().await;
    let company = shop(&world).await;
    company.edit(CompanyChange { rfc: Some("Ñ&A010203AB1".to_owned()), ..CompanyChange::default() }).await;
    let zipped = exported(&company, json!({"que": "balanza", "mes": "2026-10", "zip": true})).await;
    assert!(zipped.starts_with(b"PK"));
    let name = "Ñ&A010203AB1202610BN.xml".as_bytes();
    assert!(zipped.windows(name.len()).any(|window| window == name), "{zipped:?}");
    let office = company.office().await;
    for (zip, content) in [(true, "application/zip"), (false, "application/xml")] {
        let input = json!({"que": "balanza", "mes": "2026-10", "zip": zip});
        let reply = office.run("ledger.export", &input).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(content)));
    }
    let balance = document(&company, "balanza", "2026-10").await;
    assert!(balance.contains(r#"RFC="Ñ&amp;A010203AB1""#), "{balance}");
}
