//! What the library itself costs a request: `Api` in process over a store that answers from memory.
//!
//! `cargo bench -p svc-core`; `allocations.rs` counts what they allocate, apart because counting
//! takes time.

mod memory;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

fn overhead(criterion: &mut Criterion) {
    let (api, runtime) = memory::api();
    for (name, uri) in memory::REQUESTS {
        let template = memory::request(uri);
        criterion.bench_function(name, |bench| {
            let answer = |request| async { drop(api.handle(request).await) };
            bench.to_async(&runtime).iter_batched(|| template.clone(), answer, BatchSize::SmallInput);
        });
    }
}

criterion_group!(benches, overhead);
criterion_main!(benches);
