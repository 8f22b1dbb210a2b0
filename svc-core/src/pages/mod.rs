//! The API's pages for the authors of its clients (feature `pages`): the reference at `/docs`, guides
//! beside it, and the descriptions, `/openapi.json` and `/office/openapi.json`.
//!
//! Nothing comes from elsewhere: the viewer is part of the binary, and the pages' policy forbids loading
//! anything else.

mod guides;
mod html;
mod service;

pub use service::Pages;
