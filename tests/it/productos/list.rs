//! `GET /productos`: records and filters.

use serde_json::{Value, json};
use svc_tests::lists::finds;
use svc_tests::{Actor, Company, Resource, World};

#[tokio::test]
async fn an_item_has_every_field_and_nulls_stay() {
    let company = World::new().await.company().await;
    load_catalogue(&company).await;
    let complete = json!({
        "clave": 7, "sku": "TOR-1", "folio": "70", "descripcion": "Tornillo de ¼\"", "estatus": "inactivo",
        "tipo": "virtual_con_precio", "subtipo": "materia_prima", "kit": true, "clave_padre": 0,
        "codigo_sat": "31162800", "marca": "Truper", "categoria": "Tornillería", "id_platform_b": "MLM-1",
        "modificado": "2026-01-02T03:04:05Z",
    });
    let unknown = json!({
        "clave": 8, "sku": "TOR-2", "folio": "8", "descripcion": null, "estatus": "desconocido",
        "tipo": "desconocido", "subtipo": "desconocido", "kit": false, "clave_padre": 7, "codigo_sat": "01010101",
        "marca": null, "categoria": null, "id_platform_b": null, "modificado": "2026-10-12T18:00:00Z",
    });
    let bare = json!({
        "clave": 9, "sku": null, "folio": "9", "descripcion": null, "estatus": "activo", "tipo": "normal",
        "subtipo": "terminado", "kit": false, "clave_padre": 0, "codigo_sat": "01010101", "marca": null,
        "categoria": null, "id_platform_b": null, "modificado": "2026-10-12T18:00:00Z",
    });
    let records = [
        complete.clone(),
        json!({
            "sku": "TOR-2", "estatus": "desconocido", "tipo": "desconocido", "subtipo": "desconocido", "clave_padre": 7,
        }),
        json!({}),
    ];
    company.load(Resource::Productos, &records).await;
    let page = company.admin().await.get("/productos").await.ok(200);
    assert_eq!(page, json!({"ok": true, "datos": [complete, unknown, bare], "siguiente": null, "hay_mas": false}));
}

#[tokio::test]
async fn exact_filters_find_the_whole_value_only() {
    let ana = catalogue().await;
    finds(
        &ana,
        "/productos",
        &[
            ("", &[1, 2, 3, 5, 6, 7, 8]),
            ("clave=2", &[2]),
            ("clave=99", &[]),
            ("folio=100", &[1]),
            ("folio=0100", &[1]),
            ("folio=10", &[]),
            ("folio=-100", &[]),
            ("folio=7", &[7]),
            ("tipo=normal", &[1, 2, 3, 6, 7]),
            ("tipo=virtual_con_precio", &[5]),
            ("tipo=virtual_sin_precio", &[8]),
            ("tipo=gasto", &[]),
            ("subtipo=terminado", &[1, 2, 3, 7, 8]),
            ("subtipo=componente", &[5]),
            ("subtipo=materia_prima", &[6]),
            ("kit=true", &[3]),
            ("kit=false", &[1, 2, 5, 6, 7, 8]),
            ("codigo_sat=31162800", &[1, 2]),
            ("codigo_sat=27112100", &[3]),
            ("codigo_sat=3116280", &[]),
            ("id_platform_b=MLM-1", &[2]),
            ("id_platform_b=mlm-1", &[]),
            ("modificado_desde=2026-01-02", &[2, 3, 5, 6, 7, 8]),
            ("modificado_desde=2026-01-02T00:00:00Z", &[2, 3, 5, 6, 7, 8]),
            ("modificado_desde=2026-01-02T00:00:01Z", &[3, 5, 6, 7, 8]),
            ("tipo=normal&kit=false&codigo_sat=31162800&clave=2", &[2]),
            ("kit=true&codigo_sat=31162800", &[]),
        ],
    )
    .await;
}

#[tokio::test]
async fn deleted_products_are_shown_only_when_asked_for() {
    let ana = catalogue().await;
    finds(
        &ana,
        "/productos",
        &[
            ("estatus=activo", &[1, 2, 3, 5, 7]),
            ("estatus=inactivo", &[6]),
            ("estatus=eliminado", &[4]),
            // 8 has an unknown status, which cannot be requested but is not deleted.
            ("clave=8", &[8]),
            ("clave=4", &[]),
            ("clave=4&estatus=eliminado", &[4]),
            ("tipo=gasto", &[]),
            ("tipo=gasto&estatus=eliminado", &[4]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_sku_finds_every_product_that_has_it() {
    let ana = catalogue().await;
    finds(
        &ana,
        "/productos",
        &[
            ("sku=TOR-1", &[1, 6]),
            ("sku=TOR-1&estatus=activo", &[1]),
            ("sku=TOR-1&estatus=inactivo", &[6]),
            ("sku=TOR-1&estatus=eliminado", &[4]),
            ("sku=tor-1", &[]),
            ("sku=TOR", &[]),
            ("sku=TOR-_", &[]),
            ("sku=%25", &[]),
            ("sku=*", &[]),
            ("sku=50%25", &[7]),
            ("sku=5_%25", &[]),
            // The children of every product with that SKU: 2 belongs to 1, 3 to 4 (deleted), 5 to
            // 6.
            ("sku_padre=TOR-1", &[2, 3, 5]),
            ("sku_padre=TOR-2", &[]),
            ("sku_padre=tor-1", &[]),
            ("sku_padre=TOR-1&kit=true", &[3]),
        ],
    )
    .await;
}

#[tokio::test]
async fn brands_and_categories_are_given_by_name() {
    let ana = catalogue().await;
    finds(
        &ana,
        "/productos",
        &[
            ("marca=Truper", &[1, 3]),
            ("marca=%C3%91and%C3%BA", &[2]),
            ("marca=truper", &[]),
            ("marca=Trupe", &[]),
            ("marca=Truper%25", &[]),
            ("marca=1", &[]),
            ("marca=Nadie", &[]),
            ("categoria=Torniller%C3%ADa", &[1, 2]),
            ("categoria=Tornilleria", &[]),
            // A parent's name does not find its children.
            ("categoria=Todo", &[5]),
            ("marca=Truper&categoria=Torniller%C3%ADa", &[1]),
            ("marca=%C3%91and%C3%BA&categoria=Todo", &[]),
        ],
    )
    .await;
}

async fn load_catalogue(company: &Company) {
    let brands = [json!({"nombre": "Truper"}), json!({"nombre": "Ñandú"})];
    company.load(Resource::Marcas, &brands).await;
    let categories = [json!({"nombre": "Todo"}), json!({"nombre": "Tornillería", "padre": 1})];
    company.load(Resource::Categorias, &categories).await;
}

/// A user of a company with eight products; another company has the same ones.
async fn catalogue() -> Actor {
    let world = World::new().await;
    let [company, other] = [world.company().await, world.company().await];
    for company in [&company, &other] {
        load_catalogue(company).await;
        company.load(Resource::Productos, &eight()).await;
    }
    company.admin().await
}

fn eight() -> [Value; 8] {
    [
        json!({
            "sku": "TOR-1", "folio": "100", "marca": "Truper", "categoria": "Tornillería", "codigo_sat": "31162800",
            "modificado": "2026-01-01T23:59:59Z",
        }),
        json!({
            "sku": "TOR-2", "marca": "Ñandú", "categoria": "Tornillería", "codigo_sat": "31162800", "clave_padre": 1,
            "id_platform_b": "MLM-1", "modificado": "2026-01-02T00:00:00Z",
        }),
        json!({"sku": "TOR-3", "marca": "Truper", "codigo_sat": "27112100", "kit": true, "clave_padre": 4}),
        json!({"sku": "TOR-1", "estatus": "eliminado", "tipo": "gasto"}),
        json!({"tipo": "virtual_con_precio", "subtipo": "componente", "categoria": "Todo", "clave_padre": 6}),
        json!({"sku": "TOR-1", "estatus": "inactivo", "subtipo": "materia_prima"}),
        json!({"sku": "50%"}),
        json!({"sku": "R-8", "estatus": "desconocido", "tipo": "virtual_sin_precio"}),
    ]
}
