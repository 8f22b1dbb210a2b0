use serde_json::json;
use svc_core::domain::company::LimitMode;
use svc_core::store::CompanyChange;
use svc_tests::{World, in_notice_mode};

use super::{left, licences, stored, used_elsewhere};

/// For each mode of the service and the company: in notice mode every row passes with its
/// announcement, otherwise none does.
#[tokio::test]
async fn enforced_limits_refuse_and_the_others_only_warn() {
    for (service, own, notice) in [
        (LimitMode::Enforced, None, false),
        (LimitMode::Enforced, Some(LimitMode::Notice), true),
        (LimitMode::Notice, None, true),
        (LimitMode::Notice, Some(LimitMode::Enforced), false),
    ] {
        let world = World::with(|builder| builder.rate_per_minute(2).limits(service)).await;
        let settings = CompanyChange { limites: Some(own), ..CompanyChange::default() };
        let (minute, month) = (world.company_with(settings.clone()).await, world.company_with(settings).await);
        let (ana, eva) = (minute.admin().await, month.admin().await);
        used_elsewhere(&month, 5_000).await;
        ana.get("/clientes").await.ok(200);
        assert_eq!(ana.get("/clientes").await.announced(), [""; 0], "the last one of the minute");
        for (reply, codigo) in
            [(ana.get("/clientes").await, "limite_excedido"), (eva.get("/clientes").await, "cupo_agotado")]
        {
            if notice {
                reply.ok(200);
                assert_eq!(reply.announced(), [codigo]);
                assert_eq!(reply.header("retry-after"), None);
            } else {
                reply.fails(429, codigo);
                assert_eq!(reply.announced(), [""; 0]);
                assert!(reply.number("retry-after") >= 1);
            }
        }
    }
}

#[tokio::test]
async fn notices_of_all_limits_are_one_header() {
    let world = World::with(|builder| builder.rate_per_minute(1)).await;
    let company = world.company_with(in_notice_mode()).await;
    let ana = company.admin().await;
    company.disable_user(company.owner).await;
    used_elsewhere(&company, 4_999).await;
    assert_eq!(ana.get("/clientes").await.announced(), ["llave_sin_titular"]);
    let reply = ana.get("/clientes?limite=31").await;
    reply.ok(200);
    assert_eq!(reply.announced(), ["llave_sin_titular", "limite_excedido", "cupo_agotado", "limite_invalido"]);
    assert_eq!(left(&reply), (0, 0));
    // Counting continues, so that enforcement starts from the true usage.
    world.api.context().merge_usage().await.expect("merged");
    assert_eq!(stored(&world).await, 5_001);
    // Errors carry the announcements too.
    let wrong = ana.post("/clientes", json!({})).await;
    assert_eq!((wrong.status, wrong.announced().len()), (400, 3));
}

#[tokio::test]
async fn enforcement_begins_where_notice_mode_ends() {
    let world = World::with(|builder| builder.rate_per_minute(1_000)).await;
    let company = world.company_with(CompanyChange { licencias: Some(3), ..in_notice_mode() }).await;
    let ana = company.admin().await;
    used_elsewhere(&company, 5_000).await;
    assert_eq!(ana.get("/clientes").await.announced(), ["cupo_agotado"]);
    company.edit(CompanyChange { limites: Some(Some(LimitMode::Enforced)), ..CompanyChange::default() }).await;
    super::five_seconds_later(&world);
    ana.get("/clientes").await.fails(429, "cupo_agotado");
    company.edit(licences(6)).await;
    super::five_seconds_later(&world);
    assert_eq!(ana.get("/clientes").await.number("x-svc-cupo-restante"), 20_000 - 5_002);
}
