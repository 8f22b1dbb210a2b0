//! Every test checks responses against the OpenAPI document: what it does not describe fails.

use std::panic::{AssertUnwindSafe, catch_unwind};

use http::{HeaderMap, Method};
use serde_json::{Value, json};
use svc_core::operation::Registry;
use svc_tests::Reply;
use svc_tests::contract::Contract;

fn passes(method: &Method, path: &str, status: u16, body: &Value) -> bool {
    let id = json!("0199d8f2-a4c0-7b3e-9a55-c1d2e3f40516");
    let headers = [("x-svc-peticion", id.as_str().unwrap()), ("content-type", "application/json")];
    let headers = HeaderMap::from_iter(headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())));
    let reply = Reply { status, headers, body: body.to_string().into() };
    let contract = Contract::of(&Registry::default());
    catch_unwind(AssertUnwindSafe(|| contract.validate(method, path, &reply))).is_ok()
}

#[test]
fn undescribed_responses_fail() {
    let error = |codigo: &str| json!({"ok": false, "error": {"codigo": codigo, "mensaje": "x", "peticion": "y"}});
    let created = json!({"ok": true, "cliente": 1, "folio": "1", "rfc": null});
    let post = |status, body: &Value| passes(&Method::POST, "/api/v1/clientes", status, body);
    assert!(post(201, &created) && post(409, &error("rfc_duplicado")));
    assert!(!post(202, &created), "another status");
    assert!(!post(409, &error("sku_duplicado")), "another operation's error");
    assert!(!post(400, &error("rfc_duplicado")), "another status's error");
    for (change, what) in [
        (json!({"cliente": "1"}), "another type"),
        (json!({"cliente": null}), "a null that is not said"),
        (json!({"otro": 1}), "another field"),
        (json!({"ok": false}), "no success"),
    ] {
        let mut body = created.clone();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        assert!(!post(201, &body), "{what}");
    }
    let mut body = created.clone();
    body.as_object_mut().unwrap().remove("rfc");
    assert!(!post(201, &body), "a field that is left out");
    let page = json!({"ok": true, "datos": [{"clave": 1, "nombre": "x", "estatus": "activo"}], "siguiente": null, "hay_mas": false});
    let get = |body: &Value| passes(&Method::GET, "/marcas", 200, body);
    assert!(get(&page));
    let mut other = page.clone();
    other["datos"][0]["estatus"] = json!("borrado");
    assert!(!get(&other), "another word");
    // A path without operation needs no description.
    assert!(passes(&Method::GET, "/nada", 404, &error("x")) && passes(&Method::PATCH, "/clientes", 405, &error("x")));
}
