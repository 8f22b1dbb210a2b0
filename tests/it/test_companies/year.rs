//! A year of a test company, played in a test.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::{World, books};

use super::*;

#[tokio::test]
async fn a_year_is_played_in_seconds() {
    let world = World::new().await;
    let test = world.test_company().await;
    furnish(&test).await;
    let ana = test.admin().await;
    let ticket = json!({"tipo": "venta", "cliente": 2, "forma_pago_sat": "01", "metodo_pago_sat": "PUE",
                        "renglones": [{"producto": 1, "cantidad": 1, "precio_unitario": "50"}]});
    let mut globals = 0;
    for month in 0..12 {
        // Two requests of the month were made when it began.
        let used = if month == 0 { 1 } else { 3 };
        assert_eq!(ana.get("/clientes").await.number("x-svc-cupo-restante"), 5_000 - used, "month {month}");
        invoice(&ana, order(15)).await;
        test.run_by_name("sale.capture", &ticket).await.expect("a ticket");
        world.stamp_without_provider().await;
        let before = now(&world) + TimeDelta::days(31 * month);
        forward(&test, TimeDelta::days(31) - TimeDelta::seconds(5)).await;
        // The credit has run out.
        let due = one(&ana, "/cxc?vencido=true&cliente=1").await;
        assert_eq!(due["total"], "1160.00");
        let today = (now(&world) + TimeDelta::days(31 * (month + 1))).date_naive().to_string();
        let payment = json!({"importe": "1160.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": today,
                             "referencia": format!("SPEI {month}")});
        let cxc = due["clave"].as_i64().unwrap();
        ana.post(&format!("/cxc/{cxc}/pagos"), payment).await.ok(201);
        // The global invoice of the month before.
        let period = json!({"periodicidad": "04", "mes": before.format("%m").to_string().parse::<i64>().unwrap(),
                            "año": before.format("%Y").to_string().parse::<i64>().unwrap()});
        let made =
            test.run_by_name("invoice.global", &period).await.unwrap_or_else(|error| panic!("{period}: {error}"));
        globals += made["ventas"].as_array().map_or(0, Vec::len);
        world.stamp_without_provider().await;
    }
    assert_eq!(globals, 12);
    let invoices = ana.walk("/facturas").await;
    let kinds = |tipo: &str| invoices.iter().filter(|one| one["tipo"] == tipo && one["estatus"] == "vigente").count();
    // Of sales and of months.
    assert_eq!((kinds("factura"), kinds("pago")), (24, 12));
    let last: &Value = invoices.last().unwrap();
    assert!(last["fecha"].as_str().unwrap().starts_with("2027-10-"), "{last}");
    assert_eq!(count(&ana, "/cxc?estatus=pendiente&cliente=1").await, 0);
    books::check(&world, &test).await;
}
