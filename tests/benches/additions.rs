//! What a host's additions cost those who do not use them, and those who do: a page and a creation
//! of customers, with nothing added, with a part's operation, list and event beside them and a hook
//! on another operation, and with a hook on the creation itself.
//!
//! `cargo bench -p svc-tests --bench additions`. One request after the other, the three in turns;
//! prints medians in microseconds, and each beside the first.

#![expect(clippy::cast_precision_loss, reason = "figures to be read")]

use std::time::Instant;

use serde_json::json;
use svc_core::operation::{Cx, Hook};
use svc_core::operations::{CreateCustomer, CreateSale, CustomerCreated};
use svc_core::{ContextBuilder, Error};
use svc_store_postgres::metadata;
use svc_tests::{Actor, Resource, World, median};

const RECORDS: usize = 1_000;
const TURNS: usize = 60;
const REQUESTS: usize = 20;

/// Looks at what it is given and changes nothing.
struct Looking;

impl Hook<CreateCustomer> for Looking {
    async fn before(&self, _: &mut Cx<'_>, input: &CreateCustomer) -> Result<(), Error> {
        std::hint::black_box(input);
        Ok(())
    }

    async fn after(&self, _: &mut Cx<'_>, _: &CreateCustomer, made: &CustomerCreated) -> Result<(), Error> {
        std::hint::black_box(made);
        Ok(())
    }
}

impl Hook<CreateSale> for Looking {}

fn beside(context: ContextBuilder) -> ContextBuilder {
    metadata::added_to(context).hook::<CreateSale>(Looking)
}

fn hooked(context: ContextBuilder) -> ContextBuilder {
    beside(context).hook::<CreateCustomer>(Looking)
}

/// Microseconds a request.
async fn timed(requests: impl AsyncFn()) -> f64 {
    let began = Instant::now();
    for _ in 0..REQUESTS {
        requests().await;
    }
    began.elapsed().as_secs_f64() * 1e6 / REQUESTS as f64
}

async fn ready(change: impl FnOnce(ContextBuilder) -> ContextBuilder) -> Actor {
    let world = World::with(change).await;
    metadata::migrate(&world.store).await.expect("migrated");
    let company = world.company().await;
    let records: Vec<_> = (1..=RECORDS).map(|n| json!({"clave": n, "nombre": format!("Cliente {n}")})).collect();
    company.load(Resource::Clientes, &records).await;
    company.admin().await
}

#[tokio::main]
async fn main() {
    let actors = [ready(|context| context).await, ready(beside).await, ready(hooked).await];
    let mut pages = [const { Vec::new() }; 3];
    let mut creations = [const { Vec::new() }; 3];
    // The first turn warms up.
    for turn in 0..=TURNS {
        for (at, actor) in actors.iter().enumerate() {
            let page = timed(async || drop(actor.get("/clientes?limite=30").await.ok(200))).await;
            let creation = timed(async || drop(actor.post("/clientes", json!({"nombre": "Ana"})).await.ok(201))).await;
            if turn > 0 {
                pages[at].push(page);
                creations[at].push(creation);
            }
        }
    }
    for (what, figures) in [("page", pages), ("creation", creations)] {
        let [nothing, beside, hooked] = figures.map(median);
        println!(
            "{what}: {nothing:.0} µs with nothing added; {beside:.0} with a part beside it ({:.2} ×); {hooked:.0} with a hook ({:.2} ×)",
            beside / nothing,
            hooked / nothing
        );
    }
}
