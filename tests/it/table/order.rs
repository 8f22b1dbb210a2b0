//! The order of checks (contract §2): of two faults, the earlier one is reported.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use chrono::TimeDelta;
use http::Method;
use serde_json::json;
use svc_core::domain::company::Plan;
use svc_core::domain::scope::{Scope, Scopes};
use svc_core::operations::CreateKey;
use svc_core::store::CompanyChange;
use svc_tests::{Actor, Reply, World};

use super::fails;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Fault {
    Route,
    Method,
    Browser,
    Secret,
    Api,
    Owner,
    Plan,
    Terms,
    Scope,
    Type,
    Size,
    KeyName,
    Json,
    KeyUsed,
    Query,
    Field,
    Record,
    Data,
}

/// The faults in the order of their checks.
const ORDER: [(Fault, u16, &str); 18] = [
    (Fault::Route, 404, "ruta_no_existe"),
    (Fault::Method, 405, "metodo_no_permitido"),
    (Fault::Browser, 400, "navegador_no_permitido"),
    (Fault::Secret, 401, "llave_invalida"),
    (Fault::Api, 404, "api_no_habilitada"),
    (Fault::Owner, 401, "llave_sin_titular"),
    (Fault::Plan, 402, "plan_requerido"),
    (Fault::Terms, 403, "terminos_pendientes"),
    (Fault::Scope, 403, "sin_permiso"),
    (Fault::Type, 415, "tipo_no_soportado"),
    (Fault::Size, 413, "cuerpo_excedido"),
    (Fault::KeyName, 400, "idempotencia_requerida"),
    (Fault::Json, 400, "json_invalido"),
    (Fault::KeyUsed, 409, "idempotencia_conflicto"),
    (Fault::Query, 400, "filtro_no_permitido"),
    (Fault::Field, 400, "campo_no_permitido"),
    (Fault::Record, 404, "no_encontrado"),
    (Fault::Data, 422, "rfc_invalido"),
];

/// A key that another write used.
const USED: &str = "usada";
const MAX_BODY: usize = 1_000;

#[tokio::test]
async fn the_earlier_of_two_faults_is_reported() {
    let world = World::with(|builder| builder.max_body(MAX_BODY)).await;
    let mut actors = HashMap::new();
    for (index, (first, status, codigo)) in ORDER.into_iter().enumerate() {
        for (second, ..) in ORDER.into_iter().skip(index) {
            // Query and body are one step.
            if (first, second) == (Fault::Query, Fault::Field) {
                continue;
            }
            let faults = [first, second];
            let standing = faults.map(|fault| is_of_the_key(fault).then_some(fault));
            let actor = match actors.entry(standing) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(actor(&world, &faults).await),
            };
            let reply = send(actor, &faults).await;
            fails(&reply, status, codigo, &format!("{first:?} and {second:?}"));
        }
    }
    let sound = actor(&world, &[]).await;
    send(&sound, &[]).await.ok(200);
}

/// Whether it is a fault of the key or its company, not of the request.
fn is_of_the_key(fault: Fault) -> bool {
    matches!(fault, Fault::Api | Fault::Owner | Fault::Plan | Fault::Terms | Fault::Scope)
}

/// A user with a customer and a used Idempotency-Key, and with the faults that belong to their key.
async fn actor(world: &World, faults: &[Fault]) -> Actor {
    let has = |fault| faults.contains(&fault);
    let company = world.company().await;
    let customer = json!({"nombre": "Ana"});
    let healthy = company.admin().await;
    healthy.write(Method::POST, "/clientes", USED, customer.clone()).await.ok(201);
    let scopes = if has(Fault::Scope) {
        Scope::ALL.iter().copied().filter(|scope| *scope != Scope::ClientesWrite).collect()
    } else {
        Scopes::all()
    };
    let key = CreateKey { usuario: None, scopes: scopes.into(), expires: None, accept_terms: !has(Fault::Terms) };
    let actor = company.key(key).await;
    if !has(Fault::Scope) && !has(Fault::Terms) {
        actor.write(Method::POST, "/clientes", USED, customer).await.ok(201);
    }
    if has(Fault::Owner) {
        company.disable_user(company.owner).await;
    }
    let plan = has(Fault::Plan).then_some(Plan::None);
    company.edit(CompanyChange { api: Some(!has(Fault::Api)), plan, ..CompanyChange::default() }).await;
    world.clock.advance(TimeDelta::seconds(5));
    actor
}

/// Edits a customer with the faults that belong to the request.
async fn send(actor: &Actor, faults: &[Fault]) -> Reply {
    let has = |fault| faults.contains(&fault);
    let path = match () {
        () if has(Fault::Route) => "/nada/1",
        () if has(Fault::Record) => "/clientes/999",
        () => "/clientes/1",
    };
    let method = if has(Fault::Method) { Method::PATCH } else { Method::PUT };
    let target = format!("{path}{}", if has(Fault::Query) { "?x=1" } else { "" });
    let mut actor = actor.clone();
    if has(Fault::Secret) {
        actor.api_key.push('0');
    }
    let mut request = actor.request(method, &target);
    if has(Fault::Browser) {
        request = request.header("Origin", "null");
    }
    if !has(Fault::Type) {
        request = request.header("Content-Type", "application/json");
    }
    if !has(Fault::KeyName) {
        request = request
            .header("Idempotency-Key", if has(Fault::KeyUsed) { USED.to_owned() } else { svc_tests::fresh_key() });
    }
    let mut body = json!({"nombre": "Eva"});
    if has(Fault::Field) {
        body["otro"] = json!(1);
    }
    if has(Fault::Data) {
        body["rfc"] = json!("X");
    }
    let mut body = body.to_string();
    if has(Fault::Json) {
        body.push('}');
    }
    if has(Fault::Size) {
        body.push_str(&" ".repeat(MAX_BODY));
    }
    actor.send(request, body).await
}
