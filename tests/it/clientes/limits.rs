//! `GET /clientes`: the size of a page.

use svc_core::domain::company::LimitMode;
use svc_core::store::CompanyChange;
use svc_tests::imports::customers;
use svc_tests::{Company, Reply, Resource, World, in_notice_mode};

#[tokio::test]
async fn a_company_s_own_mode_overrides_the_service_s() {
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

fn size_of(page: &Reply) -> usize {
    page.ok(200)["datos"].as_array().expect("datos").len()
}

async fn company_of(count: usize, settings: CompanyChange) -> Company {
    let company = World::new().await.company_with(settings).await;
    company.load(Resource::Clientes, &customers(count)).await;
    company
}
