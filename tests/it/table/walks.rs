//! A walk through a list that changes meanwhile.

use std::collections::HashSet;

use serde_json::json;
use svc_tests::{Resource, World};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_pages_skip_and_repeat_nothing_during_inserts_and_deletes() {
    const BRANDS: i64 = 400;
    let company = World::new().await.company().await;
    let brands: Vec<_> = (1..=BRANDS).map(|n| json!({"clave": n, "nombre": format!("Marca {n}")})).collect();
    company.load(Resource::Marcas, &brands).await;

    // Every third brand is deleted, from both ends towards the middle, and a new one is created for
    // each.
    let (pool, empresa) = (company.world.pool().clone(), company.id.0);
    let changes = tokio::spawn(async move {
        for step in 0..BRANDS / 6 {
            for gone in [step * 3, BRANDS - 1 - step * 3] {
                let gone = gone - gone % 3;
                sqlx::query("DELETE FROM marcas WHERE empresa = $1 AND clave = $2")
                    .bind(empresa)
                    .bind(gone)
                    .execute(&pool)
                    .await
                    .unwrap();
                sqlx::query("INSERT INTO marcas (empresa, clave, nombre) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING")
                    .bind(empresa)
                    .bind(BRANDS + 1 + gone)
                    .bind(format!("Nueva {gone}"))
                    .execute(&pool)
                    .await
                    .unwrap();
            }
        }
    });
    let walker = company.admin().await;
    let mut seen = Vec::new();
    while !changes.is_finished() || seen.is_empty() {
        seen = walker.walk("/marcas?limite=7").await.iter().map(|brand| brand["clave"].as_i64().unwrap()).collect();
        let distinct: HashSet<_> = seen.iter().copied().collect();
        assert_eq!(distinct.len(), seen.len(), "a brand came twice");
        let stayed = (1..=BRANDS).filter(|n| n % 3 != 0);
        assert_eq!(
            stayed.filter(|n| !distinct.contains(n)).collect::<Vec<_>>(),
            Vec::<i64>::new(),
            "brands were skipped"
        );
    }
    changes.await.unwrap();
    assert!(seen.iter().any(|clave| *clave > BRANDS), "the list changed");
}
