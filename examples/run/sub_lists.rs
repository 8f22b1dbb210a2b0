//! Lists of a host's own records below another record.

use serde_json::json;
use svc_core::domain::scope::{OwnScope, Scopes};
use svc_core::record::{List, ListSpec, PageSizes, filter, record};
use svc_core::{Api, Context};
use svc_store_postgres::Migrator;
use svc_test_kit::{BASE_URL, World};

const READ: OwnScope = OwnScope::new("cajas:read");

record! {
    /// A line of a box.
    pub struct BoxLine in "mio_renglones" {
        /// Its number.
        clave: i64 { list },
        /// Its box.
        caja: i64 { list },
        /// How many.
        cantidad: i64 { list },
    }
}

impl List for BoxLine {
    const LIST: ListSpec = ListSpec::of::<Self>("/mio/cajas/{clave}/renglones", Scopes::own(READ), PageSizes::Enforced)
        .under("mio_cajas", "caja")
        .filters(&[filter::integer("cantidad")]);
}

record! {
    /// A line of which nothing says what it is under.
    pub struct LooseLine in "mio_renglones" {
        /// Its number.
        clave: i64 { list },
    }
}

impl List for LooseLine {
    const LIST: ListSpec = ListSpec::of::<Self>("/mio/cajas/{clave}/sueltos", Scopes::own(READ), PageSizes::Enforced);
}

fn migrations() -> Migrator {
    let boxes = "CREATE TABLE mio_cajas (empresa bigint, clave bigint, PRIMARY KEY (empresa, clave))";
    let lines = "CREATE TABLE mio_renglones (
                     empresa bigint, clave bigint, caja bigint, cantidad bigint, PRIMARY KEY (empresa, clave)
                 )";
    svc_store_postgres::migrations(&[("0001_boxes", boxes), ("0002_lines", lines)])
}

#[tokio::test]
async fn a_sub_list_has_the_records_of_its_parent() {
    let world = World::host().migrations("cajas", migrations).own_database().await;
    let (company, other) = (world.company().await, world.company().await);
    let own = "WITH dos AS (SELECT min(empresa) AS una, max(empresa) AS otra FROM empresas), cajas AS (
                   INSERT INTO mio_cajas
                   SELECT una, caja FROM dos, generate_series(1, 3) caja UNION ALL SELECT otra, 4 FROM dos
               )
               INSERT INTO mio_renglones SELECT una, n, 1 + n % 2, n FROM dos, generate_series(1, 70) n";
    world.run(own).await;
    let context = Context::builder(world.used_store().clone(), BASE_URL).clock(world.clock.clone()).list::<BoxLine>();
    let api = Api::new(&context.build().expect("a context"));
    let ana = company.key_with(&["cajas:read"]).await.at(&api);
    let page = ana.get("/mio/cajas/1/renglones").await.ok(200);
    assert_eq!((page["datos"].as_array().map(Vec::len), &page["datos"][0]["caja"]), (Some(30), &json!(1)));
    assert_eq!(ana.walk("/mio/cajas/1/renglones").await.len(), 35);
    assert_eq!(ana.walk("/mio/cajas/2/renglones").await.len(), 35);
    assert_eq!(ana.walk("/mio/cajas/2/renglones?cantidad=7").await.len(), 1);
    assert_eq!(ana.walk("/mio/cajas/1/renglones?cantidad=7").await.len(), 0);
    assert_eq!(ana.get("/mio/cajas/3/renglones").await.ok(200)["datos"], json!([]));
    for none in ["4", "9"] {
        ana.get(&format!("/mio/cajas/{none}/renglones")).await.fails(404, "no_encontrado");
    }
    let bob = other.key_with(&["cajas:read"]).await.at(&api);
    bob.get("/mio/cajas/1/renglones").await.fails(404, "no_encontrado");
    assert_eq!(bob.get("/mio/cajas/4/renglones").await.ok(200)["datos"], json!([]));
}

#[tokio::test]
async fn a_sub_list_says_what_it_is_under() {
    let world = World::host().migrations("cajas", migrations).own_database().await;
    let refused =
        Context::builder(world.used_store().clone(), BASE_URL).list::<LooseLine>().build().expect_err("loose");
    let said = "the path /mio/cajas/{clave}/sueltos of LooseLine has a parameter, but the list is under no record";
    assert_eq!(refused.to_string(), said);
}
