//! The migrations are compiled in: a new one means a new build.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
