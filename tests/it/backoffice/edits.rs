//! Edits of everything that can be imported, and of customers beyond the API.

use chrono::TimeDelta;
use serde_json::{Value, json};
use svc_tests::lists::{pick, row};
use svc_tests::{Actor, Company, Resource, World};

use super::shop::{nails, only, refuses, shop, with};
use super::{did, emitted};

async fn edited(company: &Company, action: &str, input: Value) -> Value {
    did(company.run_by_name(action, &input).await)
}

async fn stocked(world: &World) -> (Company, Actor) {
    let company = shop(world).await;
    company.load(Resource::Marcas, &[json!({"nombre": "Acme"}), json!({"nombre": "Otra"})]).await;
    company.load(Resource::Categorias, &[json!({"nombre": "Uno"}), json!({"nombre": "Dos", "padre": 1})]).await;
    let price = json!({"producto": 1, "lista": 1, "precio": "100.00", "vigencia_desde": "2026-01-01"});
    company.load(Resource::Precios, &[price]).await;
    let supplier = json!({"nombre": "Aceros", "rfc": "VECJ880326XX4", "correo": "a@example.com"});
    company.load(Resource::Proveedores, &[supplier]).await;
    company
        .load(Resource::EtapasOportunidad, &[json!({"nombre": "Nueva"}), json!({"nombre": "Ganada", "tipo": "ganada"})])
        .await;
    company.load(Resource::MotivosPerdida, &[json!({"nombre": "Precio"})]).await;
    let ana = company.admin().await;
    (company, ana)
}

#[tokio::test]
async fn an_edit_changes_what_it_sends_and_keeps_the_rest() {
    let world = World::new().await;
    let (company, ana) = stocked(&world).await;
    let before = emitted(&world).await.len();
    for (action, name, path, change) in [
        ("supplier.edit", "proveedor", "/proveedores", json!({"nombre": "Aceros del Sur", "estatus": "inactivo"})),
        ("brand.edit", "marca", "/marcas", json!({"nombre": "Acme MX"})),
        ("category.edit", "categoria", "/categorias", json!({"nombre": "Primera", "estatus": "inactivo"})),
        ("unit.edit", "unidad", "/unidades", json!({"nombre": "Bolsa", "clave_sat": "XBG", "estatus": "inactivo"})),
        (
            "price.edit",
            "precio",
            "/precios",
            json!({"precio": "95.500000", "iva_incluido": true, "cantidad_minima": 5}),
        ),
        ("bank-account.edit", "cuenta_bancaria", "/cuentas-bancarias", json!({"banco": "Uno", "estatus": "inactivo"})),
        ("warehouse.edit", "almacen", "/almacenes", json!({"codigo": "X01", "nombre": "Bodega"})),
        (
            "stage.edit",
            "etapa",
            "/etapas-oportunidad",
            json!({"nombre": "Primer contacto", "orden": 7, "probabilidad": 15}),
        ),
        ("loss-reason.edit", "motivo_perdida", "/motivos-perdida", json!({"nombre": "Caro", "estatus": "inactivo"})),
        ("branch.edit", "sucursal", "/sucursales", json!({"nombre": "Centro", "cp": "06700"})),
    ] {
        let clave = if name == "sucursal" { 3 } else { 1 };
        let address = format!("{path}?clave={clave}");
        let was = only(&ana, &address).await;
        assert_eq!(edited(&company, action, json!({"clave": clave})).await, json!({name: clave}), "{action}");
        assert_eq!(only(&ana, &address).await, was, "{action}: nothing was sent");
        world.clock.advance(TimeDelta::minutes(1));
        edited(&company, action, with(&json!({"clave": clave}), change.clone())).await;
        let mut expected = with(&was, change);
        if expected["modificado"].is_string() {
            expected["modificado"] = only(&ana, &address).await["modificado"].clone();
            assert_ne!(expected["modificado"], was["modificado"], "{action}");
        }
        if expected["precio"].is_string() {
            expected["precio"] = json!("95.50");
        }
        assert_eq!(only(&ana, &address).await, expected, "{action}");
    }
    assert_eq!(emitted(&world).await.len(), before, "none of these has an event");
}

#[tokio::test]
async fn null_clears_what_can_be_cleared() {
    let world = World::new().await;
    let (company, ana) = stocked(&world).await;
    edited(&company, "supplier.edit", json!({"clave": 1, "rfc": null, "correo": ""})).await;
    let supplier = only(&ana, "/proveedores?clave=1").await;
    assert_eq!(pick(&supplier, &["rfc", "correo", "nombre"]), json!({"rfc": null, "correo": null, "nombre": "Aceros"}));
    edited(&company, "price.edit", json!({"clave": 1, "vigencia_desde": null, "moneda": null})).await;
    let price = only(&ana, "/precios?clave=1").await;
    assert_eq!((&price["vigencia_desde"], &price["moneda"]), (&Value::Null, &json!("MXN")));
    // A supplier is found by its new name, and a price list has its new one.
    edited(&company, "supplier.edit", json!({"clave": 1, "nombre": "Ferretería Peña"})).await;
    assert_eq!(ana.walk("/proveedores?nombre=pena").await.len(), 1);
    edited(&company, "price.edit", json!({"clave": 1, "lista_nombre": "Mostrador", "sku": "C-2"})).await;
    let price = only(&ana, "/precios?clave=1").await;
    assert_eq!(
        pick(&price, &["lista_nombre", "sku", "producto"]),
        json!({"lista_nombre": "Mostrador", "sku": "C-2", "producto": 2})
    );
    // A price that moves to another list takes its name, or gives it one.
    let other = json!({"producto": 2, "lista": 7, "lista_nombre": "Distribuidor", "precio": "8"});
    company.load(Resource::Precios, &[other]).await;
    edited(&company, "price.edit", json!({"clave": 1, "lista": 7})).await;
    let names: Vec<Value> =
        ana.walk("/precios?lista=7").await.iter().map(|price| price["lista_nombre"].clone()).collect();
    assert_eq!(names, ["Distribuidor", "Distribuidor"]);
    edited(&company, "warehouse.edit", json!({"clave": 2, "principal": true})).await;
    assert_eq!(only(&ana, "/almacenes?sucursal=0&principal=true").await["clave"], 2);
}

#[tokio::test]
async fn an_edit_keeps_the_rules_of_the_import_and_some_more() {
    let world = World::new().await;
    let (company, ana) = stocked(&world).await;
    let opportunity = json!({"nombre": "Bodega", "etapa": 1});
    did(company.run_by_name("opportunity.create", &opportunity).await);
    world.run("UPDATE cuentas_bancarias SET saldo = 1 WHERE clave = 1").await;
    for (action, change, codigo, said) in [
        ("supplier.edit", json!({"rfc": "malo"}), "rfc_invalido", "rfc: "),
        ("supplier.edit", json!({"estatus": "raro"}), "dato_invalido", "estatus: "),
        ("supplier.edit", json!({"saldo": 1}), "campo_no_permitido", "saldo: "),
        ("brand.edit", json!({"nombre": null}), "dato_requerido", "nombre: "),
        ("brand.edit", json!({"nombre": "Otra"}), "dato_invalido", "nombre: "),
        ("category.edit", json!({"padre": 99}), "referencia_invalida", "padre: "),
        ("category.edit", json!({"padre": 2}), "estado_invalido", "padre: "),
        ("category.edit", json!({"padre": 1}), "estado_invalido", "padre: "),
        ("unit.edit", json!({"clave_sat": "???"}), "dato_invalido", "clave_sat: "),
        ("price.edit", json!({"precio": "-1"}), "dato_invalido", "precio: "),
        ("price.edit", json!({"producto": 99}), "referencia_invalida", "producto: "),
        ("price.edit", json!({"vigencia_hasta": "2025-12-31"}), "dato_invalido", "vigencia_hasta: "),
        ("price.edit", json!({"modificado": "2026-10-12T00:00:00Z"}), "campo_no_permitido", "modificado: "),
        ("bank-account.edit", json!({"moneda": "USD"}), "estado_invalido", "moneda: "),
        ("warehouse.edit", json!({"codigo": "002"}), "dato_invalido", "codigo: "),
        ("warehouse.edit", json!({"sucursal": 9}), "referencia_invalida", "sucursal: "),
        ("stage.edit", json!({"tipo": "perdida"}), "estado_invalido", "tipo: "),
        ("stage.edit", json!({"probabilidad": 101}), "dato_invalido", "probabilidad: "),
    ] {
        refuses(&company, action, &[(with(&json!({"clave": 1}), change), codigo, said)]).await;
    }
    refuses(&company, "branch.edit", &[(json!({"clave": 0, "estatus": "inactivo"}), "estado_invalido", "estatus: ")])
        .await;
    refuses(
        &company,
        "brand.edit",
        &[
            (json!({"nombre": "X"}), "dato_requerido", "clave: "),
            (json!({"clave": 99, "nombre": "X"}), "no_encontrado", "clave: "),
            (json!({"clave": 0}), "no_encontrado", "clave: "),
            (json!({"clave": i64::MIN}), "no_encontrado", "clave: "),
        ],
    )
    .await;
    // A deleted record is not found.
    edited(&company, "brand.edit", json!({"clave": 2, "estatus": "eliminado"})).await;
    refuses(&company, "brand.edit", &[(json!({"clave": 2, "estatus": "activo"}), "no_encontrado", "")]).await;
    // Neither is another company's record.
    let other = world.company().await;
    refuses(&other, "supplier.edit", &[(json!({"clave": 1, "nombre": "X"}), "no_encontrado", "")]).await;
    assert_eq!(only(&ana, "/proveedores?clave=1").await["nombre"], "Aceros");
}

#[tokio::test]
async fn a_customers_terms_are_edited_in_the_office_alone() {
    let world = World::new().await;
    let company = shop(&world).await;
    let ana = company.admin().await;
    let price = [json!({"producto": 1, "lista": 2, "precio": "1"})];
    company.load(Resource::Precios, &price).await;
    let stored = "SELECT to_jsonb(c)::text
                  FROM (SELECT razon_social, round(limite_credito, 2)::text AS limite_credito, dias_credito,
                               coalesce(lista, 0) AS lista, coalesce(vendedor, 0) AS vendedor, prospecto
                        FROM clientes
                        WHERE clave = 1) c";
    let fields = ["razon_social", "limite_credito", "dias_credito", "lista", "vendedor", "prospecto"];
    for (change, after) in [
        (json!({"limite_credito": "500.50", "dias_credito": 30}), json!([null, "500.50", 30, 0, 0, false])),
        (json!({"razon_social": "Ana SA", "lista": 2, "vendedor": 1}), json!(["Ana SA", "500.50", 30, 2, 1, false])),
        (json!({"nombre": "Ana Luz"}), json!(["Ana Luz", "500.50", 30, 2, 1, false])),
        (json!({"nombre": "Ana", "razon_social": "Ana SA"}), json!(["Ana SA", "500.50", 30, 2, 1, false])),
        (json!({"prospecto": true}), json!(["Ana SA", "500.50", 30, 2, 1, true])),
        (
            json!({"limite_credito": null, "dias_credito": "", "lista": null, "vendedor": null}),
            json!(["Ana SA", "0.00", 0, 0, 0, true]),
        ),
    ] {
        let input = with(&json!({"clave": 1}), change.clone());
        assert_eq!(edited(&company, "customer.edit", input).await, json!({"cliente": 1}), "{change}");
        assert_eq!(world.json(stored).await, row(&fields, after), "{change}");
    }
    for (id, after) in [(json!(" 12-3456789 "), "12-3456789"), (json!(null), "-")] {
        edited(&company, "customer.edit", json!({"clave": 1, "num_reg_id_trib": id})).await;
        let stored = "SELECT coalesce(num_reg_id_trib, '-') FROM clientes WHERE clave = 1";
        assert_eq!(world.sql::<String>(stored).await, after);
    }
    let before = emitted(&world).await.len();
    edited(&company, "customer.edit", json!({"clave": 1, "prospecto": false})).await;
    let events = emitted(&world).await;
    assert!(events[before - 1..].iter().any(|(tipo, _)| tipo == "cliente.creado"), "{events:?}");
    for (change, codigo, said) in [
        (json!({"limite_credito": "-1"}), "dato_invalido", "limite_credito: "),
        (json!({"limite_credito": [1]}), "dato_invalido", "limite_credito: "),
        (json!({"dias_credito": 366}), "dato_invalido", "dias_credito: "),
        (json!({"lista": 99}), "referencia_invalida", "lista: "),
        (json!({"vendedor": 99}), "vendedor_invalido", ""),
        (json!({"prospecto": null}), "dato_requerido", "prospecto: "),
        (json!({"saldo": 1}), "campo_no_permitido", "saldo: "),
    ] {
        refuses(&company, "customer.edit", &[(with(&json!({"clave": 1}), change), codigo, said)]).await;
    }
    ana.put("/clientes/1", json!({"limite_credito": "1"})).await.fails(400, "campo_no_permitido");
    // Terms belong to the ERP: they take effect on the next sale.
    edited(&company, "customer.edit", json!({"clave": 1, "lista": 2})).await;
    let mut body = nails("pedido");
    body["renglones"][0].as_object_mut().expect("a line").remove("precio_unitario");
    assert_eq!(ana.post("/ventas", body).await.ok(201)["subtotal"], "2.00");
}

#[tokio::test]
async fn a_warehouse_that_holds_or_owes_stock_is_not_deleted() {
    let world = World::new().await;
    let (company, ana) = stocked(&world).await;
    let delete = json!({"clave": 2, "estatus": "eliminado"});
    let moved =
        |tipo: &str, cantidad: i64| json!({"producto": 1, "almacen": "002", "tipo": tipo, "cantidad": cantidad});
    did(company.run_by_name("stock.move", &moved("ajuste_entrada", 1)).await);
    let held = "estatus: el almacén tiene existencia o apartados";
    refuses(&company, "warehouse.edit", &[(delete.clone(), "almacen_con_existencia", held)]).await;
    // It owes as much as it held.
    did(company.run_by_name("stock.move", &moved("merma", 2)).await);
    refuses(&company, "warehouse.edit", &[(delete.clone(), "almacen_con_existencia", held)]).await;
    did(company.run_by_name("stock.move", &moved("ajuste_entrada", 1)).await);
    let reserve = |cantidad: i64| json!({"producto": 1, "almacen": "002", "cantidad": cantidad});
    did(company.run_by_name("stock.reserve", &reserve(-1)).await);
    refuses(&company, "warehouse.edit", &[(delete.clone(), "almacen_con_existencia", held)]).await;
    // It may be closed for new movements.
    edited(&company, "warehouse.edit", json!({"clave": 2, "estatus": "inactivo"})).await;
    edited(&company, "warehouse.edit", json!({"clave": 2, "estatus": "activo"})).await;
    did(company.run_by_name("stock.reserve", &reserve(1)).await);
    edited(&company, "warehouse.edit", delete).await;
    assert_eq!(ana.walk("/almacenes?clave=2").await, Vec::<Value>::new());
    refuses(&company, "stock.move", &[(moved("ajuste_entrada", 1), "almacen_invalido", "almacen: ")]).await;
}

#[tokio::test]
async fn a_branch_keeps_one_main_warehouse() {
    let world = World::new().await;
    let (company, ana) = stocked(&world).await;
    let first = "es el almacén principal de su sucursal; antes haga principal a otro";
    refuses(
        &company,
        "warehouse.edit",
        &[
            (json!({"clave": 1, "estatus": "eliminado"}), "estado_invalido", &format!("estatus: {first}")),
            (json!({"clave": 1, "principal": false}), "estado_invalido", &format!("principal: {first}")),
            (json!({"clave": 1, "principal": null}), "estado_invalido", &format!("principal: {first}")),
            (json!({"clave": 1, "sucursal": 3}), "estado_invalido", &format!("sucursal: {first}")),
        ],
    )
    .await;
    // Another one takes its place, also one that comes from another branch.
    edited(&company, "warehouse.edit", json!({"clave": 3, "sucursal": 0, "principal": true})).await;
    assert_eq!(only(&ana, "/almacenes?sucursal=0&principal=true").await["codigo"], "030");
    assert_eq!(only(&ana, "/almacenes?sucursal=3&principal=true").await["codigo"], "031");
    edited(&company, "warehouse.edit", json!({"clave": 1, "sucursal": 3})).await;
    edited(&company, "warehouse.edit", json!({"clave": 1, "estatus": "eliminado"})).await;
    assert_eq!(only(&ana, "/almacenes?sucursal=3&principal=true").await["codigo"], "031");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_edits_leave_one_main_warehouse() {
    let world = World::new().await;
    let company = shop(&world).await;
    let more: Vec<_> = (0..4).map(|at| json!({"codigo": format!("M0{at}")})).collect();
    company.load(Resource::Almacenes, &more).await;
    let inputs: Vec<_> = (5..9).map(|clave| json!({"clave": clave, "principal": true})).collect();
    for outcome in
        futures_util::future::join_all(inputs.iter().map(|input| company.run_by_name("warehouse.edit", input))).await
    {
        did(outcome);
    }
    let ana = company.admin().await;
    assert!(only(&ana, "/almacenes?sucursal=0&principal=true").await["clave"].as_i64() > Some(4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_warehouse_is_either_deleted_or_filled() {
    let world = World::new().await;
    let company = shop(&world).await;
    let delete = json!({"clave": 2, "estatus": "eliminado"});
    let fill = json!({"producto": 1, "almacen": "002", "tipo": "ajuste_entrada", "cantidad": 1});
    let (deleted, filled) =
        tokio::join!(company.run_by_name("warehouse.edit", &delete), company.run_by_name("stock.move", &fill));
    assert!(deleted.is_ok() != filled.is_ok(), "{deleted:?} {filled:?}");
}

#[tokio::test]
async fn a_lower_case_rfc_is_stored_in_upper_case() {
    let world = World::new().await;
    let (company, ana) = stocked(&world).await;
    edited(&company, "supplier.edit", json!({"clave": 1, "rfc": " eku9003173c9 "})).await;
    assert_eq!(only(&ana, "/proveedores?clave=1").await["rfc"], "EKU9003173C9");
    company.load(Resource::Proveedores, &[json!({"nombre": "Peña", "rfc": "ñuñ900101aa1"})]).await;
    assert_eq!(only(&ana, "/proveedores?clave=2").await["rfc"], "ÑUÑ900101AA1");
    company.load(Resource::Clientes, &[json!({"nombre": "Eva", "rfc": "eku9003173c9"})]).await;
    assert_eq!(only(&ana, "/clientes?rfc=EKU9003173C9").await["nombre"], "Eva");
    let again = company.import(Resource::Clientes, &[json!({"nombre": "Eva", "rfc": "Eku9003173C9"})]).await;
    svc_tests::imports::blames(again, 1, "rfc: ya existe");
}
