//! The API's pages for the authors of its clients (feature `pages`): a home page at `/docs`,
//! guides, the reference, events, and the descriptions, `/openapi.json` and `/office/openapi.json`.
//!
//! Nothing comes from elsewhere: the viewer is part of the binary, and the pages' policy forbids
//! loading anything else.

mod answer;
mod guide_list;
mod guides;
mod highlight;
mod home;
mod html;
mod markdown;
mod service;

pub use service::Pages;
