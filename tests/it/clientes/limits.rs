//! `GET /clientes`: how many records a page may hold.

use svc_core::domain::company::LimitMode;
use svc_core::store::CompanyChange;
use svc_tests::imports::customers;
use svc_tests::{Company, Reply, Resource, World, in_notice_mode};

#[tokio::test]
async fn enforced_pages_hold_up_to_thirty() {
    let ana = company_of(40, CompanyChange::default()).await.admin().await;
    for (query, size) in [("", 30), ("?limite=1", 1), ("?limite=29", 29), ("?limite=30", 30)] {
        let page = ana.get(&format!("/clientes{query}")).await;
        assert_eq!(size_of(&page), size, "{query}");
        assert_eq!(page.header("x-svc-aviso"), None, "{query}");
    }
    for limit in ["31", "100", "500", "501"].into_iter().chain(NEVER) {
        let reply = ana.get(&format!("/clientes?limite={limit}")).await;
        reply.fails(400, "limite_invalido");
        assert!(reply.mensaje().starts_with("limite: "), "{}", reply.mensaje());
        assert_eq!(reply.header("x-svc-aviso"), None, "{limit}");
    }
}

#[tokio::test]
async fn in_notice_mode_pages_hold_up_to_five_hundred_and_long_ones_are_announced() {
    let ana = company_of(520, in_notice_mode()).await.admin().await;
    for (query, size, announced) in [
        ("", 100, false),
        ("?limite=1", 1, false),
        ("?limite=30", 30, false),
        ("?limite=31", 31, true),
        ("?limite=100", 100, true),
        ("?limite=500", 500, true),
        ("?prospecto=false&limite=500", 500, true),
        ("?prospecto=true&limite=500", 0, true),
    ] {
        let page = ana.get(&format!("/clientes{query}")).await;
        assert_eq!(size_of(&page), size, "{query}");
        let notice = page.header("x-svc-aviso");
        assert_eq!(notice.is_some(), announced, "{query}");
        assert!(notice.is_none_or(|text| text.starts_with("limite_invalido; ")), "{notice:?}");
    }
    for limit in ["501", "1000"].into_iter().chain(NEVER) {
        ana.get(&format!("/clientes?limite={limit}")).await.fails(400, "limite_invalido");
    }
}

#[tokio::test]
async fn a_company_s_own_mode_goes_before_the_service_s() {
    let world = World::with(|builder| builder.limits(LimitMode::Notice)).await;
    let mut sizes = Vec::new();
    for own in [None, Some(LimitMode::Notice), Some(LimitMode::Enforced)] {
        let company = world.company_with(CompanyChange { limites: Some(own), ..CompanyChange::default() }).await;
        company.load(Resource::Clientes, &customers(40)).await;
        sizes.push(size_of(&company.admin().await.get("/clientes").await));
    }
    assert_eq!(sizes, [40, 40, 30]);
}

#[tokio::test]
async fn a_walk_by_the_longest_pages_is_whole() {
    let ana = company_of(1_001, in_notice_mode()).await.admin().await;
    assert_eq!(ana.walk("/clientes?limite=500").await.len(), 1_001);
}

/// No page size in any mode.
const NEVER: [&str; 8] = ["", "0", "-1", "1.5", "diez", "%2B5", "%205", "99999999999999999999"];

fn size_of(page: &Reply) -> usize {
    page.ok(200)["datos"].as_array().expect("datos").len()
}

async fn company_of(count: usize, settings: CompanyChange) -> Company {
    let company = World::new().await.company_with(settings).await;
    company.load(Resource::Clientes, &customers(count)).await;
    company
}
