//! The examples, run against a private PostgreSQL.

#![allow(dead_code, unreachable_pub, missing_docs, reason = "each example is a program of its own")]

#[path = "../background.rs"]
mod background;
#[path = "../embed_axum.rs"]
mod embed_axum;
#[path = "../embed_hyper.rs"]
mod embed_hyper;
#[path = "../own_providers.rs"]
mod own_providers;
#[path = "../parcels/main.rs"]
mod parcels;
#[path = "../store_layer.rs"]
mod store_layer;

mod lambda;
mod listing;
mod metadata;
mod own_binary;
mod own_events;
mod own_operations;
mod own_part;
mod servers;
mod sessions;
mod sub_lists;
mod subscribers;
mod test_kit;
mod workers;
