//! What an imported sales document owes.

use serde_json::{Value, json};
use svc_tests::{Resource, World};

use crate::backoffice::did;
use crate::backoffice::shop::shop;

#[tokio::test]
async fn a_balance_left_out_follows_from_type_and_terms() {
    let company = World::new().await.company().await;
    let amounts = json!({"subtotal": "100.00", "impuestos": "16.00"});
    let table = [
        (json!({"tipo": "pedido"}), "116.00"),
        (json!({"tipo": "cotizacion", "condicion_pago": "contado"}), "116.00"),
        (json!({"tipo": "pedido", "saldo": "16.00"}), "16.00"),
        (json!({"tipo": "pedido", "cancelada": true}), "0.00"),
        (json!({"tipo": "cotizacion", "fecha_cancelacion": "2026-10-01T00:00:00Z"}), "0.00"),
        (json!({"tipo": "venta"}), "0.00"),
        (json!({"tipo": "remision", "condicion_pago": "contado"}), "0.00"),
        (json!({"tipo": "venta", "condicion_pago": "credito"}), "116.00"),
        (json!({"tipo": "factura", "condicion_pago": "credito", "saldo": "0"}), "0.00"),
        (json!({"tipo": "factura", "condicion_pago": "credito", "cancelada": true}), "0.00"),
        (json!({"tipo": "anticipo", "condicion_pago": "contado"}), "0.00"),
    ];
    let rows: Vec<Value> = table.iter().map(|(line, _)| merged(&amounts, line)).collect();
    company.load(Resource::Ventas, &rows).await;
    let ana = company.admin().await;
    for (clave, (line, saldo)) in (1..).zip(&table) {
        let tipo = line["tipo"].as_str().expect("a type");
        let cancelled =
            if line.get("cancelada").or(line.get("fecha_cancelacion")).is_some() { "true" } else { "false" };
        let shown = ana.walk(&format!("/ventas?clave={clave}&tipo={tipo}&cancelada={cancelled}")).await;
        assert_eq!(shown[0]["saldo"], *saldo, "{line}");
    }
}

fn merged(one: &Value, other: &Value) -> Value {
    let fields = one.as_object().into_iter().chain(other.as_object()).flatten();
    Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
}

#[tokio::test]
async fn an_imported_order_s_invoice_owes_its_total_until_it_is_paid() {
    let company = shop(&World::new().await).await;
    let order = json!({"tipo": "pedido", "cliente": 1, "almacen": "001", "condicion_pago": "contado",
                       "forma_pago_sat": "03", "metodo_pago_sat": "PUE", "uso_cfdi": "G03",
                       "subtotal": "200.00", "impuestos": "32.00"});
    let line = json!({"venta": 1, "producto": 1, "descripcion": "Clavo", "cantidad": 2, "precio_unitario": "100.00",
                      "unidad_sat": "H87", "codigo_sat": "31161620", "objeto_impuesto": "02", "iva_tasa": "0.16"});
    company.load(Resource::Ventas, &[order]).await;
    company.load(Resource::VentasRenglones, &[line]).await;
    did(company.run_by_name("order.invoice", &json!({"venta": 1})).await);
    let ana = company.admin().await;
    let sale = ana.walk("/ventas?tipo=factura").await[0].clone();
    let owed = ana.walk("/cxc").await[0].clone();
    assert_eq!([&sale["saldo"], &owed["saldo"], &owed["total"]], ["232.00"; 3]);
    let payment = json!({"cxc": owed["clave"], "importe": "100.00", "cuenta_bancaria": 1, "fecha": "2026-10-12",
                         "forma_pago_sat": "03", "referencia": "R-1"});
    did(company.run_by_name("payment.apply", &payment).await);
    assert_eq!(ana.walk("/ventas?tipo=factura").await[0]["saldo"], "132.00");
    assert_eq!(ana.walk("/cxc").await[0]["saldo"], "132.00");
}
