//! tidaldb behind HTTP: the program `tidal-server`, its console page and its demo.
//!
//! [`http::router`] is the whole service as a function from a request to an answer, without a socket.

// A program is where files, sockets, threads and clocks come in: it hands them to the database.
#![allow(clippy::disallowed_methods)]

mod connections;
pub mod demo;
pub mod http;
pub mod limits;
pub mod serve;
