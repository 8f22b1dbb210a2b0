//! Every list with every filter, right and wrong.

use svc_core::record::{Filter, Takes};
use svc_tests::World;
use svc_tests::values::{bad, good, sample};

use super::{a_minute_later, company, fails, lists, outcome, path, reader};

/// The lists that require a selector, and those limited to 92 days (contract §3).
pub(super) const SELECTED: [&str; 3] = ["/movimientos-inventario", "/ventas-renglones", "/compras-renglones"];
pub(super) const WINDOWED: [&str; 2] = ["/ventas", "/facturas"];

#[tokio::test]
async fn unknown_query_parameters_are_refused() {
    let world = World::new().await;
    let ana = reader(company(&world).await).await;
    for list in lists() {
        let valid = list.filters().first().map(|filter| format!("{}={}", filter.name, sample(filter.takes)));
        for unknown in ["otro=1", "otro=", "otro", "=1", "Limite=1", "CURSOR=a", "clave%5B%5D=1", "%FF=1", "otro=%FF"] {
            for query in [unknown.to_owned(), format!("{}&{unknown}", valid.clone().unwrap_or_default())] {
                let target = format!("{}?{query}", path(list.http, "1"));
                fails(&ana.get(&target).await, 400, "filtro_no_permitido", &target);
            }
        }
        a_minute_later(&world);
    }
}

#[tokio::test]
async fn filters_accept_every_valid_value() {
    let world = World::new().await;
    let ana = reader(company(&world).await).await;
    for list in lists() {
        for filter in list.filters() {
            for value in good(filter.takes) {
                let target = format!("{}?{}={value}", path(list.http, "1"), filter.name);
                let (status, codigo) = outcome(&ana.get(&target).await);
                let bound = matches!(filter.takes, Takes::Bound(_));
                let expected = match codigo.as_str() {
                    "filtro_requerido" => SELECTED.contains(&list.http.path),
                    "rango_invalido" => WINDOWED.contains(&list.http.path) && bound,
                    _ => status == 200,
                };
                assert!(expected, "{target}: {status} {codigo}");
            }
            a_minute_later(&world);
        }
    }
}

#[tokio::test]
async fn filters_refuse_every_invalid_value() {
    let world = World::new().await;
    let ana = reader(company(&world).await).await;
    for list in lists() {
        for filter in list.filters() {
            for (query, codigo) in bad(filter) {
                let target = format!("{}?{query}", path(list.http, "1"));
                let reply = ana.get(&target).await;
                fails(&reply, 400, codigo, &target);
                let text = reply.mensaje();
                assert!(text.starts_with(&format!("{}: ", filter.name)), "{target}: {text}");
            }
            let both = format!("{}?{}=%00&otro=1", path(list.http, "1"), filter.name);
            fails(&ana.get(&both).await, 400, "filtro_no_permitido", "a name is validated before any value");
            a_minute_later(&world);
        }
    }
}

#[tokio::test]
async fn reversed_ranges_are_refused() {
    let world = World::new().await;
    let ana = reader(company(&world).await).await;
    let mut ranges = 0;
    for list in lists() {
        let until = |edge: &Filter| edge.name.strip_suffix("_hasta").map(str::to_owned);
        for stem in list.filters().iter().filter_map(until) {
            let target =
                |from: &str, until: &str| format!("{}?{stem}_hasta={until}&{stem}_desde={from}", path(list.http, "1"));
            let reversed = target("2026-10-02", "2026-10-01");
            fails(&ana.get(&reversed).await, 400, "rango_invalido", &reversed);
            let reversed = target("2026-10-01T00:00:01Z", "2026-10-01T00:00:00Z");
            fails(&ana.get(&reversed).await, 400, "rango_invalido", &reversed);
            let one_day = target("2026-10-01", "2026-10-01");
            assert_eq!(ana.get(&one_day).await.status, 200, "{one_day}");
            ranges += 1;
        }
    }
    assert!(ranges > 0, "GET /clientes has a range");
}
