//! The program: `tidal-server --schema schema.yaml --data DIR` and `tidal-server demo`.

// A program is where files, sockets, threads and clocks come in.
#![allow(clippy::disallowed_methods)]

mod arguments;
mod run;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;

fn main() -> ExitCode {
    match run::run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tidal_server::serve::say(&format!("tidal-server: {}", failure.message));
            ExitCode::from(failure.code)
        }
    }
}
