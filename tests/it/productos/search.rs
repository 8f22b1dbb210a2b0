//! `GET /productos?buscar=`

use serde_json::json;
use svc_tests::lists::finds;
use svc_tests::{Actor, Resource, World};

#[tokio::test]
async fn words_are_found_with_any_accents_and_case() {
    let ana = catalogue().await;
    finds(
        &ana,
        "/productos",
        &[
            ("buscar=camion", &[1]),
            ("buscar=CAMI%C3%93N", &[1]),
            ("buscar=Camio%CC%81n", &[1]),
            ("buscar=electrico", &[1]),
            ("buscar=nandu", &[2]),
            ("buscar=%C3%91AND%C3%9A", &[2]),
            ("buscar=tor-", &[1, 2, 3]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_word_is_found_at_the_start_and_inside_of_words() {
    let ana = catalogue().await;
    finds(
        &ana,
        "/productos",
        &[
            ("buscar=elec", &[1]),
            ("buscar=lectri", &[1]),
            ("buscar=rico", &[1]),
            ("buscar=ornillo", &[2, 3]),
            // Words are found in the SKU as in the description.
            ("buscar=or-2", &[2]),
            // No word spans SKU and description.
            ("buscar=3tornillo", &[]),
            ("buscar=nadie", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn every_word_has_to_be_found_in_any_order() {
    let ana = catalogue().await;
    finds(
        &ana,
        "/productos",
        &[
            ("buscar=tornillo+acero", &[2, 3]),
            ("buscar=acero+tornillo", &[2, 3]),
            ("buscar=acero%20%20nandu", &[2]),
            ("buscar=tor-3+acero+tornillo", &[3]),
            ("buscar=tornillo+camion", &[]),
            ("buscar=acero+nadie", &[]),
            ("buscar=tornillo+tornillo", &[2, 3]),
        ],
    )
    .await;
}

#[tokio::test]
async fn words_of_less_than_three_characters_are_dropped() {
    let ana = catalogue().await;
    finds(
        &ana,
        "/productos",
        &[
            ("buscar=zz+tornillo", &[2, 3]),
            ("buscar=tornillo+de+xx", &[2, 3]),
            // Characters count, not bytes.
            ("buscar=%C3%B1%C3%B1+tornillo", &[2, 3]),
        ],
    )
    .await;
    for query in ["a", "de", "de+la", "%C3%B1%C3%B1", "%25%25", "a+b+c+d", "%2A"] {
        ana.get(&format!("/productos?buscar={query}")).await.fails(400, "busqueda_corta");
    }
}

#[tokio::test]
async fn a_search_has_200_characters_at_most_and_looks_for_ten_words() {
    let ana = catalogue().await;
    // The words beyond the tenth are in no record.
    let words = "tornillo tor ace cer ero orn rni nil ill llo nadie ninguno";
    finds(&ana, "/productos", &[(&format!("buscar={}", words.replace(' ', "+")), &[2, 3])]).await;
    let long = |letters: usize| format!("/productos?buscar={}", "%C3%B1".repeat(letters));
    ana.get(&long(200)).await.ok(200);
    ana.get(&long(201)).await.fails(400, "filtro_invalido");
    ana.get(&format!("/proveedores?nombre={}", "a".repeat(201))).await.fails(400, "filtro_invalido");
}

#[tokio::test]
async fn there_are_no_wildcards() {
    let ana = catalogue().await;
    finds(
        &ana,
        "/productos",
        &[
            ("buscar=100%25", &[4]),
            ("buscar=%25%25%25", &[]),
            ("buscar=t%25o", &[]),
            ("buscar=a_b", &[5]),
            ("buscar=___", &[]),
            ("buscar=a*b", &[6]),
            ("buscar=***", &[]),
            ("buscar=torn*", &[]),
            ("buscar=a%5Cb", &[7]),
            ("buscar=%5C%5C%5C", &[]),
            ("buscar='--", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_search_combines_with_filters_and_hides_deleted_products() {
    let ana = catalogue().await;
    finds(
        &ana,
        "/productos",
        &[
            ("buscar=tornillo&kit=true", &[3]),
            ("buscar=tornillo&sku=TOR-2", &[2]),
            ("buscar=tornillo&estatus=eliminado", &[8]),
            ("buscar=tornillo&estatus=inactivo", &[]),
        ],
    )
    .await;
}

async fn catalogue() -> Actor {
    let company = World::new().await.company().await;
    let records = [
        json!({"sku": "TOR-1", "descripcion": "Camión eléctrico"}),
        json!({"sku": "TOR-2", "descripcion": "TORNILLO de acero Ñandú"}),
        json!({"sku": "TOR-3", "descripcion": "Tornillo de acero", "kit": true}),
        json!({"sku": "P4", "descripcion": "100% algodón"}),
        json!({"sku": "a_b"}),
        json!({"descripcion": "xa*by"}),
        json!({"descripcion": "a\\b"}),
        json!({"sku": "TOR-8", "descripcion": "Tornillo viejo de acero", "estatus": "eliminado"}),
        json!({"sku": "axb"}),
    ];
    company.load(Resource::Productos, &records).await;
    company.admin().await
}
