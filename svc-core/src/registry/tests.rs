use serde_json::{Value, json};

use super::*;
use crate::openapi::{Language, NamedOperation, named_operations};
use crate::operation::Router;

/// A sample of each action's input.
pub(crate) fn samples() -> Vec<(&'static str, Value)> {
    vec![
        ("customer.create", json!({"nombre": "Ana", "rfc": "XAXX010101000", "cp": "01000", "pais": null})),
        ("product.create", json!({"sku": "A", "descripcion": "Clavo", "unidad": 1, "costo": "5.00", "tipo": "A"})),
        ("product.edit", json!({"clave": 1, "costo": 5.5, "tipo": null, "unidad": 2})),
        (
            "customer.edit",
            json!({"clave": 1, "nombre": "Ana", "regimen": null, "correo": "ana@example.com", "limite_credito": "5000.00",
                   "dias_credito": 30, "lista": null, "vendedor": 2, "prospecto": false, "razon_social": "Ana SA", "num_reg_id_trib": "12-3456789"}),
        ),
        ("product.delete", json!({"clave": 1})),
        (
            "stock.move",
            json!({"sku": "A", "almacen": "001", "tipo": "traspaso_salida", "cantidad": 2.5, "almacen_destino": "002"}),
        ),
        ("stock.reserve", json!({"producto": 1, "almacen": "001", "cantidad": -3})),
        ("stock.count", json!({"sku": "A", "almacen": "001", "existencia": 12.5})),
        ("stock.transfer", json!({"sku": "A", "almacen": "001", "almacen_destino": "002", "cantidad": 2})),
        (
            "sale.capture",
            json!({"tipo": "factura", "cliente": 1, "origen": "plataforma", "sucursal": 2, "condicion_pago": "credito",
                   "dias_credito": 30, "moneda": "USD", "tipo_cambio": "17.5",
                   "renglones": [{"sku": "A", "cantidad": 1.5, "precio_unitario": "10.123456", "descuento": "1.00"}]}),
        ),
        ("sale.invoicing-begin", json!({"venta": 1})),
        ("sale.invoicing-end", json!({"venta": 1})),
        ("sale.cancel", json!({"venta": 1})),
        ("order.fulfil", json!({"venta": 1, "renglones": [{"renglon": 1, "cantidad": 2}]})),
        ("quote.order", json!({"venta": 1})),
        (
            "order.invoice",
            json!({"venta": 1, "forma_pago_sat": "03", "metodo_pago_sat": "PUE", "uso_cfdi": "G03",
                                "tipo_cambio": "17.55"}),
        ),
        ("invoice.stamped", json!({"factura": 1, "uuid": "5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d"})),
        ("invoice.rejected", json!({"factura": 1, "codigo": "CFDI40147", "mensaje": "No corresponde"})),
        ("invoice.restamp", json!({"factura": 1, "forzar": false})),
        ("invoice.xml", json!({"factura": 1})),
        ("invoice.pdf", json!({"factura": 1})),
        ("invoice.substitute", json!({"factura": 1})),
        ("invoice.cancel", json!({"factura": 1, "motivo": "02", "requiere_aceptacion": true})),
        (
            "credit-note.capture",
            json!({"factura": 1, "tipo_relacion": "03", "renglones": [{"renglon": 1, "cantidad": 1}], "aplicar": true}),
        ),
        ("advance.capture", json!({"cliente": 1, "importe": "116.00", "forma_pago_sat": "03", "cuenta_bancaria": 1})),
        ("advance.apply", json!({"venta": 1, "anticipo": 2})),
        ("invoice.global", json!({"periodicidad": "04", "mes": 10, "año": 2026, "ventas": [1, 2]})),
        ("invoice.cancel-accepted", json!({"factura": 1})),
        ("invoice.cancel-rejected", json!({"factura": 1})),
        (
            "payment.apply",
            json!({"cxc": 1, "importe": "10.00", "cuenta_bancaria": 1, "forma_pago_sat": "03", "fecha": "2026-10-12",
                   "referencia": "SPEI 1", "tipo_cambio": "17.55"}),
        ),
        ("payment.cancel", json!({"pago": 1})),
        ("payment.restamp", json!({"pago": 1})),
        (
            "deposit.capture",
            json!({"cuenta_bancaria": 1, "fecha": "2026-10-12", "importe": "10.00", "referencia": "SPEI 1", "tipo_cambio": 17.5}),
        ),
        (
            "payable.capture",
            json!({"total": "-116.00", "moneda": "USD", "tipo_cambio": 17.5, "iva": "-16.00", "uuid": "6128396f-c09b-4ec6-8699-43c5f7e3b230"}),
        ),
        (
            "payable.pay",
            json!({"cxp": 1, "importe": "10.00", "fecha": "2026-10-12", "referencia": "SPEI 1", "tipo_cambio": "17.5"}),
        ),
        (
            "purchase.capture",
            json!({"proveedor": 1, "fecha": "2026-10-12T18:00:00Z", "renglones": [{"sku": "A", "cantidad": 2, "iva": "3.20"}]}),
        ),
        ("purchase.receive", json!({"compra": 1, "renglones": [{"renglon": 1, "cantidad": 0.5}]})),
        ("account.edit", json!({"cuenta": "105.01", "numero": "1150-001"})),
        ("account.list", json!({})),
        ("ledger.balance", json!({"desde": "2026-10-01", "hasta": "2026-10-31"})),
        (
            "opportunity.create",
            json!({"nombre": "Bodega", "etapa": 1, "monto": "1500.00", "cierre": "2026-12-31", "probabilidad": 40}),
        ),
        ("opportunity.move", json!({"oportunidad": 1, "etapa": 4, "motivo_perdida": 2})),
        ("supplier.edit", json!({"clave": 1, "nombre": "Aceros", "rfc": null, "estatus": "inactivo"})),
        ("brand.edit", json!({"clave": 1, "nombre": "Acme", "estatus": "eliminado"})),
        ("category.edit", json!({"clave": 1, "nombre": "Clavos", "padre": 2})),
        ("unit.edit", json!({"clave": 1, "clave_sat": "H87"})),
        ("price.edit", json!({"clave": 1, "precio": "99.50", "iva_incluido": true, "vigencia_hasta": null})),
        ("bank-account.edit", json!({"clave": 1, "banco": "Uno", "estatus": "inactivo"})),
        ("branch.edit", json!({"clave": 3, "cp": "06700"})),
        ("warehouse.edit", json!({"clave": 1, "codigo": "002", "principal": true})),
        ("user.edit", json!({"clave": 1, "correo": "ana@example.com", "vendedor": true})),
        ("stage.edit", json!({"clave": 1, "orden": 3, "probabilidad": 40})),
        ("loss-reason.edit", json!({"clave": 1, "nombre": "Precio"})),
        ("quota.use", json!({"operaciones": 250})),
    ]
}

fn schema(name: &str) -> Value {
    named_operations(Language::English).find(|operation| operation.name == name).unwrap().schema
}

fn accepts(schema: &Value, input: &Value) -> bool {
    jsonschema::draft202012::new(schema).unwrap().is_valid(input)
}

/// Every object of a schema that names properties, with where it stands.
fn objects<'s>(schema: &'s Value, at: &str, found: &mut Vec<(String, &'s Value)>) {
    if schema.get("properties").is_some() {
        found.push((at.to_owned(), schema));
    }
    let members: Vec<(String, &Value)> = match schema {
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => return,
    };
    for (key, value) in members {
        objects(value, &format!("{at}/{key}"), found);
    }
}

#[test]
fn every_action_documents_a_closed_object_that_takes_its_sample() {
    let samples = samples();
    assert_eq!(
        named_operations(Language::English).map(|operation| operation.name).collect::<Vec<_>>(),
        samples.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    );
    for (NamedOperation { summary, schema, .. }, (name, sample)) in named_operations(Language::English).zip(samples) {
        assert!(!summary.is_empty(), "{name}");
        assert_eq!(schema["type"], "object", "{name}");
        let mut found = Vec::new();
        objects(&schema, name, &mut found);
        for (at, object) in found {
            assert_eq!(object["additionalProperties"], json!(false), "{at}");
            for (field, property) in object["properties"].as_object().unwrap() {
                assert!(property["description"].as_str().is_some_and(|text| !text.is_empty()), "{at}.{field}");
                assert_eq!(property.get("$ref"), None, "{at}.{field}");
            }
        }
        assert!(accepts(&schema, &sample), "{name}: {sample}");
        let mut other = sample.clone();
        other["otro_campo"] = json!(1);
        assert!(!accepts(&schema, &other), "{name}");
    }
}

#[test]
fn samples_are_read_as_their_schemas_take_them() {
    for (name, sample) in samples() {
        let input = Json::parse_object(sample.to_string().as_bytes()).unwrap();
        let entry = OPERATIONS.iter().find(|entry| entry.spec.name == Some(name)).unwrap();
        let operation = match entry.handler {
            Handler::Operation(operation) => operation,
            // It reads its input as it runs.
            Handler::Download(_) => continue,
            Handler::Open(_) | Handler::List(_) => panic!("{name} is no operation"),
        };
        operation.check(&input).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    }
}

#[test]
fn the_schema_of_a_customer_says_what_the_type_takes() {
    let schema = schema("customer.create");
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["required"], json!(["nombre"]));
    assert_eq!(
        schema["properties"]["nombre"],
        json!({"type": "string", "minLength": 1, "maxLength": 100, "description": "Name or legal name."})
    );
    assert_eq!(
        schema["properties"]["cp"],
        json!({"type": ["string", "null"], "pattern": "^[0-9]{5}$", "description": "Postal code."})
    );
    assert_eq!(schema["properties"]["regimen"]["type"], json!(["integer", "null"]));
    for wrong in [json!({}), json!({"nombre": ""}), json!({"nombre": "Ana", "cp": "0100"}), json!({"nombre": null})] {
        assert!(!accepts(&schema, &wrong), "{wrong}");
    }
}

#[test]
fn the_schema_of_an_edit_has_the_clave_and_the_fields_that_can_be_cleared() {
    let schema = schema("product.edit");
    assert_eq!(schema["required"], json!(["clave"]));
    for (input, taken) in [
        (json!({"clave": 1}), true),
        (json!({"clave": 1, "costo": null, "categoria": null}), true),
        (json!({"clave": 1, "costo": "1.5"}), true),
        (json!({"clave": 1, "costo": "-1.5"}), false),
        (json!({"clave": 1, "sku": null}), false),
        (json!({"clave": 1, "unidad": null}), false),
        (json!({"clave": 1, "tipo": "D"}), false),
        (json!({"clave": "1"}), false),
        (json!({}), false),
    ] {
        assert_eq!(accepts(&schema, &input), taken, "{input}");
    }
}

#[test]
fn the_registry_makes_a_router() {
    let router = Router::new(OPERATIONS).unwrap();
    let (route, parameters) = router.find("/clientes/12").unwrap();
    assert_eq!((route.allow.as_str(), parameters), ("PUT", vec!["12"]));
    assert_eq!(router.find("/clientes").unwrap().0.allow, "GET, POST");
    for path in ["/", "", "/clientes/", "/clientes/1/2", "/Clientes", "//clientes"] {
        assert!(router.find(path).is_none(), "{path}");
    }
}

#[test]
fn every_operation_can_be_reached_and_needs_a_scope_over_http() {
    for Entry { spec, .. } in OPERATIONS {
        assert!(spec.http.is_some() || spec.name.is_some(), "{spec:?}");
        assert!(spec.http.is_none_or(|http| !http.scopes.is_empty() || http.path == "/health"), "{spec:?}");
    }
}
