//! What a page costs at the beginning of a list and deep in it: pages 1 and 3,000 of 100,000
//! customers and products, read from a private PostgreSQL. By keyset both cost the same; the ratio
//! of their medians is printed beside the figures.
//!
//! `cargo bench -p svc-store-postgres`

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::DateTime;
use criterion::{Criterion, criterion_group, criterion_main};
use sqlx::ConnectOptions as _;
use svc_core::Context;
use svc_core::domain::company::CompanyId;
use svc_core::operations::import::{Existing, Resource};
use svc_core::record::customer::Customer;
use svc_core::record::product::Product;
use svc_core::record::{List, Query, Row};
use svc_core::store::{CompanyChange, Store as _};
use svc_local_postgres::Cluster;
use svc_store_postgres::{PostgresStore, Settings};
use tokio::runtime::Runtime;

const ROWS: i64 = 100_000;
const LIMIT: u32 = 30;
const PAGE: i64 = 3_000;

/// Reads for the ratio, alternating between the pages, so that other load on the machine affects
/// both alike.
const ROUNDS: usize = 2_000;

/// Pages of a list for one company.
struct PageSizes<'a> {
    runtime: &'a Runtime,
    store: &'a PostgresStore,
    company: CompanyId,
}

impl PageSizes<'_> {
    /// The page after `after`; gives how many records it has.
    async fn read<L: List>(&self, after: Option<i64>) -> usize {
        let query = Query::new(&L::LIST, after, LIMIT, DateTime::UNIX_EPOCH);
        let (mut claves, mut json) = (Vec::new(), Vec::new());
        let mut each = |row: &dyn Row| L::write(row, &mut json).map(|clave| claves.push(clave));
        self.store.reader(self.company).page(&L::LIST, &query, &mut each).await.expect("a page");
        assert!(claves.is_sorted() && claves.iter().all(|clave| *clave > after.unwrap_or(0)));
        claves.len()
    }

    fn bench<L: List>(&self, criterion: &mut Criterion) {
        let path = L::LIST.path;
        let pages = [(1, None), (PAGE, Some((PAGE - 1) * i64::from(LIMIT)))];
        for (number, after) in pages {
            let full = self.runtime.block_on(self.read::<L>(after));
            assert_eq!(full, LIMIT as usize + 1, "one more means that there is another page");
            criterion.bench_function(&format!("GET {path}, page {number}"), |bench| {
                bench.to_async(self.runtime).iter(|| self.read::<L>(after));
            });
        }
        let mut times = [Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS)];
        for _ in 0..ROUNDS {
            for ((_, after), times) in pages.iter().zip(&mut times) {
                let start = Instant::now();
                self.runtime.block_on(self.read::<L>(*after));
                times.push(start.elapsed());
            }
        }
        let [first, deep] = times.map(median);
        let ratio = deep.as_secs_f64() / first.as_secs_f64();
        println!("GET {path}: page {PAGE} takes {ratio:.2} times page 1 ({deep:.0?}, {first:.0?})\n");
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A company with its customers and products.
async fn load(store: &PostgresStore) -> CompanyId {
    store.migrate().await.expect("the schema");
    let context = Context::builder(Arc::new(store.clone()), "https://erp.example.com/api/v1").build();
    let context = context.expect("a context");
    let company =
        context.create_company(CompanyChange { nombre: Some("Empresa".to_owned()), ..CompanyChange::default() });
    let company = company.await.expect("a company").empresa;
    let customer = |n| {
        format!(
            r#"{{"nombre":"Cliente {n}","razon_social":"COMERCIALIZADORA {n}","correo":"compras{n}@example.com","telefono":"(477) {n:07}"}}"#
        )
    };
    let product =
        |n| format!(r#"{{"sku":"SKU-{n}","descripcion":"Tornillo galvanizado de {n} mm","codigo_sat":"31162800"}}"#);
    let lines = |line: fn(i64) -> String| (1..=ROWS).map(move |n| Ok(line(n).into_bytes()));
    for (resource, line) in [(Resource::Clientes, customer as fn(i64) -> String), (Resource::Productos, product)] {
        context.import(company, resource, Existing::Refused, lines(line), &mut |_| ()).await.expect("the records");
    }
    sqlx::query("VACUUM ANALYZE")
        .execute(&mut store.options().connect().await.expect("a connection"))
        .await
        .expect("statistics");
    company
}

fn pages(criterion: &mut Criterion) {
    let cluster = Cluster::ephemeral().expect("a private PostgreSQL");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (store, company) = runtime.block_on(async {
        cluster.create_database("paginas").await.expect("a database");
        // Loading takes as long as it takes.
        let mut settings = Settings::default();
        settings.statement_timeout = Duration::ZERO;
        let store = PostgresStore::with_options(cluster.options("paginas"), &settings);
        let company = load(&store).await;
        (store, company)
    });
    let pages = PageSizes { runtime: &runtime, store: &store, company };
    pages.bench::<Customer>(criterion);
    pages.bench::<Product>(criterion);
    runtime.block_on(store.close());
}

criterion_group!(benches, pages);
criterion_main!(benches);
