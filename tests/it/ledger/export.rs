//! `ledger.export`

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use serde_json::{Value, json};
use svc_core::store::CompanyChange;
use svc_tests::authority::{attribute, validate_books};
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
    let later = json!({"moneda": "USD", "tipo_cambio": "18.123456", "metodo_pago_sat": "PPD", "forma_pago_sat": "99"});
    let dollars = with(&order(), later);
    let (_, factura) = invoiced(&ana, &dollars).await;
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    let paid = json!({"cxc": 2, "importe": "100.00", "cuenta_bancaria": 2, "forma_pago_sat": "03",
                      "fecha": "2026-10-12", "referencia": "USD 1", "tipo_cambio": "19"});
    did(company.run_by_name("payment.apply", &paid).await);
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
    assert!(entries.contains(r#"MontoTotal="100.00" Moneda="USD" TipCamb="19""#), "{entries}");
    assert!(entries.contains(r#"Concepto="Línea 1  Ñandú &quot;&amp; &lt;co&gt;&quot;""#), "{entries}");
    // A correction, and what comes with a request of the authority.
    let correction = exported(
        &company,
        json!({"que": "balanza", "mes": "2026-10", "tipo_envio": "C", "fecha_modificacion": "2026-11-20"}),
    )
    .await;
    validate_books("BalanzaComprobacion", &correction);
    assert!(String::from_utf8(correction).unwrap().contains(r#"TipoEnvio="C" FechaModBal="2026-11-20""#));
    // Without a day it is the last on which an entry of the month was written, or else the month's
    // last.
    for (mes, day) in [("2026-10", "2026-10-12"), ("2026-11", "2026-11-30"), ("2026-13", "2026-12-31")] {
        let correction = exported(&company, json!({"que": "balanza", "mes": mes, "tipo_envio": "C"})).await;
        validate_books("BalanzaComprobacion", &correction);
        let said = format!(r#"TipoEnvio="C" FechaModBal="{day}""#);
        assert!(String::from_utf8(correction).unwrap().contains(&said), "{mes}: {said}");
    }
    for bank in [
        r#"CodAgrup="102.01" NumCta="102.01.0001" Desc="Bancos nacionales: Pesos" SubCtaDe="102" Nivel="2" Natur="D""#,
        r#"CodAgrup="102.01" NumCta="102.01.0002" Desc="Bancos nacionales: Dólares (USD)" SubCtaDe="102" Nivel="2" Natur="D""#,
        r#"CodAgrup="105.01" NumCta="105.01.R" Desc="Clientes nacionales: revaluación" SubCtaDe="105" Nivel="2" Natur="D""#,
        r#"CodAgrup="201.01" NumCta="201.01.R" Desc="Proveedores nacionales: revaluación" SubCtaDe="201" Nivel="2" Natur="A""#,
    ] {
        assert!(catalogue.contains(bank), "{bank}\n{catalogue}");
    }
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

/// The months with entries, the first first.
async fn months(company: &Company) -> Vec<String> {
    sqlx::query_scalar("SELECT DISTINCT to_char(fecha, 'YYYY-MM') FROM polizas WHERE empresa = $1 ORDER BY 1")
        .bind(company.id.0)
        .fetch_all(company.world.pool())
        .await
        .expect("months")
}

/// The account numbers of a document, with the value of one of their attributes.
fn numbers(xml: &str, attribute: &str) -> BTreeMap<String, Vec<Decimal>> {
    let of = |node: &str, name: &str| {
        node.split_once(&format!("{name}=\""))
            .and_then(|(_, rest)| rest.split_once('"'))
            .map(|(value, _)| value.to_owned())
    };
    let mut numbers = BTreeMap::<String, Vec<Decimal>>::new();
    for node in xml.split('<').filter(|node| node.contains("NumCta=")) {
        let (number, value) = (of(node, "NumCta").expect("a number"), of(node, attribute));
        let value = value.map_or(Decimal::ZERO, |value| value.parse().expect("an amount"));
        numbers.entry(number).or_default().push(value);
    }
    numbers
}

#[tokio::test]
async fn every_document_of_a_year_of_business_is_valid_and_each_month_goes_on_from_the_last() {
    let world = World::new().await;
    let company = crate::books::year(&world, 1_500, 300).await;
    let months = months(&company).await;
    assert!(months.len() >= 10, "{months:?}");
    let mut before = BTreeMap::new();
    for mes in &months {
        let catalogue = document(&company, "catalogo", mes).await;
        let balance = document(&company, "balanza", mes).await;
        let entries = document(&company, "polizas", mes).await;
        for tipo_envio in ["N", "C"] {
            let xml = exported(&company, json!({"que": "balanza", "mes": mes, "tipo_envio": tipo_envio})).await;
            validate_books("BalanzaComprobacion", &xml);
        }
        let listed: BTreeSet<String> = numbers(&catalogue, "Nivel").into_keys().collect();
        let (initial, closing) = (numbers(&balance, "SaldoIni"), numbers(&balance, "SaldoFin"));
        assert!(initial.values().all(|rows| rows.len() == 1), "{mes}: a number stands once");
        assert!(initial.keys().all(|number| listed.contains(number)), "{mes}: every account is in the catalogue");
        for (number, saldo) in &before {
            assert_eq!(initial.get(number), Some(saldo), "{mes}: {number}");
        }
        // What the entries move an account by is what the balance does, but for the year's closing.
        let (debits, credits) = (numbers(&entries, "Debe"), numbers(&entries, "Haber"));
        if !mes.ends_with("-12") {
            let (debe, haber) = (numbers(&balance, "Debe"), numbers(&balance, "Haber"));
            for (number, moved) in &debits {
                let credit: Decimal = credits[number].iter().sum();
                assert_eq!(
                    (debe[number][0], haber[number][0]),
                    (moved.iter().sum::<Decimal>(), credit),
                    "{mes}: {number}"
                );
            }
        }
        before = closing;
        if mes.ends_with("-12") {
            let thirteen = format!("{}13", &mes[..5]);
            let balance = document(&company, "balanza", &thirteen).await;
            for (number, saldo) in &before {
                assert_eq!(numbers(&balance, "SaldoIni").get(number), Some(saldo), "{thirteen}: {number}");
            }
            before = numbers(&balance, "SaldoFin");
        }
        let rfc = attribute(&catalogue, "RFC");
        for (que, kind) in [("catalogo", "CT"), ("balanza", "BN"), ("polizas", "PL")] {
            let zip = exported(&company, json!({"que": que, "mes": mes, "zip": true})).await;
            let name = format!("{rfc}{}{kind}.xml", mes.replace('-', ""));
            assert!(zip.starts_with(b"PK") && zip.windows(name.len()).any(|part| part == name.as_bytes()), "{name}");
        }
    }
}

#[tokio::test]
async fn a_currency_that_the_schema_does_not_know_is_left_out() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    did(company.run_by_name("account.edit", &json!({"cuenta": "102.01", "numero": "1".repeat(80)})).await);
    for moneda in ["CNH", "VES", "ESD", "NIC", "UYP", "EUR"] {
        invoiced(&ana, &with(&order(), json!({"moneda": moneda, "tipo_cambio": "2.5"}))).await;
    }
    let pay = json!({"cxc": 6, "importe": "10.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                     "referencia": "A", "tipo_cambio": "2.5"});
    did(company.run_by_name("payment.apply", &pay).await);
    world.stamp(&svc_core::stamping::SandboxStamper).await;
    document(&company, "catalogo", "2026-10").await;
    let entries = document(&company, "polizas", "2026-10").await;
    assert!(entries.contains(" Moneda=\"EUR\" TipCamb=\"2.5\""), "{entries}");
    assert!(!entries.contains("CNH") && !entries.contains("VES"), "{entries}");
}
