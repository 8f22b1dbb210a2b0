//! The suite that any store must pass, over PostgreSQL.

use svc_tests::World;
use svc_tests::store_suite::usage;

#[tokio::test]
async fn merges_do_not_collide() {
    usage::merges_do_not_collide(World::new().await.any_store()).await;
}

#[tokio::test]
async fn only_the_latest_minute_and_existing_companies_count() {
    usage::only_the_latest_minute_and_existing_companies_count(World::new().await.any_store()).await;
}
