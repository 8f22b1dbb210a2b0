//! Every list with every page size and cursor.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use svc_core::record::PageSizes;
use svc_tests::Endpoint;
use svc_tests::lists::claves;
use svc_tests::{Actor, Company, Reply, Resource, World, in_notice_mode, values};

use super::{a_minute_later, company, fails, filters, lists, outcome, path, reader};

/// Contract §3, "Page regimes".
const ENFORCED: [&str; 13] = [
    "/clientes",
    "/productos",
    "/cxp",
    "/oportunidades",
    "/cxc",
    "/cxc-pagos",
    "/etapas-oportunidad",
    "/motivos-perdida",
    "/webhooks",
    "/webhooks/{clave}/entregas",
    "/eventos",
    "/vendedores",
    "/cuentas-bancarias",
];
const EARLIER: [&str; 14] = [
    "/proveedores",
    "/inventario",
    "/almacenes",
    "/sucursales",
    "/marcas",
    "/categorias",
    "/unidades",
    "/precios",
    "/ventas",
    "/ventas-renglones",
    "/facturas",
    "/compras",
    "/compras-renglones",
    "/movimientos-inventario",
];

/// More records than any page holds by default.
const RECORDS: usize = 101;

#[test]
fn every_list_has_the_page_sizes_of_the_contract() {
    for list in lists() {
        let stated = match list.pages() {
            Some(PageSizes::Enforced) => ENFORCED.contains(&list.http.path),
            _ => EARLIER.contains(&list.http.path),
        };
        assert!(stated, "{}: {:?}", list.http.path, list.pages());
    }
}

#[tokio::test]
async fn page_sizes_follow_the_list_s_limits() {
    let world = World::new().await;
    let enforced = reader(seeded(company(&world).await).await).await;
    let notice = reader(seeded(world.company_with(in_notice_mode()).await).await).await;
    let mut checked = BTreeSet::new();
    for list in lists() {
        let cut = list.pages() == Some(PageSizes::Enforced);
        let target = path(list.http, "1");
        let (default, max) = if cut { (30, 30) } else { (100, 500) };
        for (actor, default, max) in [(&enforced, default, max), (&notice, 100, 500)] {
            for limit in [1, default, max] {
                let reply = actor.get(&format!("{target}?limite={limit}")).await;
                let (status, codigo) = outcome(&reply);
                let selected = filters::SELECTED.contains(&list.http.path) && codigo == "filtro_requerido";
                assert!(status == 200 || selected, "{target}?limite={limit}: {status} {codigo}");
                let notice = reply.header("x-svc-aviso");
                assert_eq!(notice.is_some(), cut && limit > 30, "{target}?limite={limit}");
                assert!(notice.is_none_or(|text| text.starts_with("limite_invalido; ")), "{notice:?}");
                if reply.json()["hay_mas"] == true {
                    assert_eq!(records(&reply), limit, "{target}?limite={limit}");
                }
            }
            for wrong in ["0", "", "abc", "-1", "1.0", "%2B1", "+1", "%00", "%FF", "1&limite=1", "99999999999999999999"]
            {
                let target = format!("{target}?limite={wrong}");
                fails(&actor.get(&target).await, 400, "limite_invalido", &target);
            }
            for over in [max + 1, 100, 500, 501, 1000].into_iter().filter(|over| *over > max) {
                let target = format!("{target}?limite={over}");
                let reply = actor.get(&target).await;
                fails(&reply, 400, "limite_invalido", &target);
                assert!(reply.mensaje().starts_with("limite: "), "{target}: {}", reply.mensaje());
                assert_eq!(reply.header("x-svc-aviso"), None, "{target}");
            }
            let page = actor.get(&target).await;
            assert_eq!(page.header("x-svc-aviso"), None, "nobody asked for more than 30 records: {target}");
            if page.json()["hay_mas"] == true {
                assert_eq!(records(&page), default, "{target}");
                checked.insert(list.http.path);
            }
        }
        a_minute_later(&world);
    }
    assert!(checked.is_superset(&BTreeSet::from(["/clientes", "/productos"])), "{checked:?}");
}

#[tokio::test]
async fn a_cursor_fits_only_its_own_query() {
    let world = World::new().await;
    let ana = reader(seeded(company(&world).await).await).await;
    let bob = reader(seeded(company(&world).await).await).await;
    let (own, foreign) = (cursors(&ana).await, cursors(&bob).await);
    assert!(own.contains_key("/clientes") && own.contains_key("/productos"), "{own:?}");
    for list in lists() {
        let target = path(list.http, "1");
        for (other, cursor) in own.iter().filter(|(other, _)| **other != list.http.path) {
            refused(&ana, &target, cursor, &format!("of {other}")).await;
        }
        for garbage in ["", "a", "%FF", "%00", "AAAA", "%2B%2F%3D", "null", "0", &"A".repeat(34), &"A".repeat(3000)] {
            refused(&ana, &target, garbage, "garbage").await;
        }
        let (Some(cursor), Some(theirs)) = (own.get(list.http.path), foreign.get(list.http.path)) else { continue };
        refused(&ana, &target, theirs, "another company's").await;
        refused(&ana, &target, &format!("{cursor}&cursor={cursor}"), "twice").await;
        refused(&ana, &target, &format!("{cursor}%3D"), "padded").await;
        refused(&ana, &target, &format!("{cursor}A"), "longer").await;
        refused(&ana, &target, &format!("+{cursor}"), "after a space").await;
        refused(&ana, &target, &cursor[1..], "cut").await;
        refused(&ana, &target, &cursor[..cursor.len() - 1], "cut at its end").await;
        for at in 0..cursor.len() {
            refused(&ana, &target, &altered(cursor, at), "altered").await;
        }
        for filter in list.filters() {
            let filtered = format!("{cursor}&{}={}", filter.name, values::sample(filter.takes));
            refused(&ana, &target, &filtered, "other filters").await;
        }
        for limit in [1, 7, 30] {
            ana.get(&format!("{target}?cursor={cursor}&limite={limit}")).await.ok(200);
        }
        a_minute_later(&world);
    }
}

#[tokio::test]
async fn pages_of_any_size_give_every_record_once_in_order() {
    let world = World::new().await;
    let ana = reader(seeded(company(&world).await).await).await;
    for list in lists().filter(is_seeded) {
        let whole = claves(&ana.walk(list.http.path).await);
        assert_eq!(whole.len(), RECORDS, "{}", list.http.path);
        assert!(whole.is_sorted_by(|a, b| a < b), "{}: {whole:?}", list.http.path);
        for limit in [7, 30] {
            assert_eq!(claves(&ana.walk(&format!("{}?limite={limit}", list.http.path)).await), whole);
        }
        let last = ana.get(&format!("{}?limite=1&clave={}", list.http.path, whole[0])).await.ok(200);
        assert_eq!(
            (&last["siguiente"], &last["hay_mas"]),
            (&json!(null), &json!(false)),
            "a full page may be the last"
        );
    }
}

#[tokio::test]
async fn an_empty_list_is_a_page() {
    let world = World::new().await;
    let ana = reader(company(&world).await).await;
    for list in lists() {
        let has = |name: &str| list.filters().iter().any(|filter| filter.name == name);
        let query = match list.http.path {
            "/ventas-renglones" => "?venta=-1",
            "/compras-renglones" => "?compra=-1",
            _ if has("clave") => "?clave=-1",
            _ => "",
        };
        let target = format!("{}{query}", path(list.http, "1"));
        let mut page = ana.get(&target).await.ok(200);
        // Where to go on later (contract §10).
        let goes_on = page["siguiente"].take().is_string();
        assert_eq!(goes_on, list.http.path == "/eventos", "{target}");
        assert_eq!(page, json!({"ok": true, "datos": [], "siguiente": null, "hay_mas": false}), "{target}");
    }
}

fn records(page: &Reply) -> usize {
    page.json()["datos"].as_array().map_or(0, Vec::len)
}

/// A company with records in every list that can be filled in bulk.
async fn seeded(company: Company) -> Company {
    let customers: Vec<_> = (1..=RECORDS).map(|n| json!({"nombre": format!("Cliente {n}")})).collect();
    let products: Vec<_> = (1..=RECORDS).map(|n| json!({"sku": format!("P-{n}"), "estatus": "activo"})).collect();
    company.import(Resource::Clientes, &customers).await.expect("customers");
    company.import(Resource::Productos, &products).await.expect("products");
    company
}

fn is_seeded(list: &Endpoint) -> bool {
    ["/clientes", "/productos"].contains(&list.http.path)
}

/// The cursor to the second page of every list that has one, at one record per page.
async fn cursors(actor: &Actor) -> BTreeMap<&'static str, String> {
    let mut cursors = BTreeMap::new();
    for list in lists() {
        let page = actor.get(&format!("{}?limite=1", path(list.http, "1"))).await.json();
        if let Some(cursor) = page["siguiente"].as_str() {
            cursors.insert(list.http.path, cursor.to_owned());
        }
    }
    cursors
}

/// The cursor with another character at `at`.
fn altered(cursor: &str, at: usize) -> String {
    let other = if cursor.as_bytes()[at] == b'A' { "Q" } else { "A" };
    format!("{}{other}{}", &cursor[..at], &cursor[at + 1..])
}

async fn refused(actor: &Actor, target: &str, cursor: &str, what: &str) {
    let reply = actor.get(&format!("{target}?cursor={cursor}")).await;
    fails(&reply, 400, "cursor_invalido", &format!("{what}: {target}?cursor={cursor}"));
}
