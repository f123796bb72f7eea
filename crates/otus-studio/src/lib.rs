//! `otus studio`: a local web app over one folder.
//!
//! It listens on 127.0.0.1 only, and answers only who knows the token in its address ([`guard`]). It reads and writes inside
//! of its folder only ([`folder`]). Every question is plain JSON ([`api`], whose types are in `web/src/api.ts`); what a question means and
//! what its answer is is decided by the core.
//!
//! - [`server`], [`http`]: sockets, limits, routes. hyper, which `otus-live` has already, is enough for them: axum would add its
//!   extractors and a router for twenty routes of one shape, and five more crates.
//! - [`questions`]: questions run on threads; a newer one of a page cancels the older one of the same route.
//! - [`watch`]: what changes on disk is told to the pages, by looking at sizes and times.
//! - [`page`]: the page itself, built by `scripts/check-studio` and committed, so that cargo alone builds everything.
#![forbid(unsafe_code)]

mod api;
mod events;
mod failure;
mod folder;
mod guard;
mod http;
mod page;
mod questions;
mod server;
mod watch;

pub use api::ROUTES;
pub use server::{Config, Error, Running, start};
