//! How much memory a request allocates, and how often.
//!
//! `cargo bench -p svc-core --bench allocations`

mod memory;

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let (api, runtime) = memory::api();
    for (name, uri) in memory::REQUESTS {
        let request = memory::request(uri);
        let region = Region::new(ALLOCATOR);
        let answer = runtime.block_on(api.handle(request));
        let used = region.change();
        assert_eq!(answer.status(), 200, "{answer:?}");
        println!("{name}: {} allocations, {} bytes", used.allocations + used.reallocations, used.bytes_allocated);
    }
}
