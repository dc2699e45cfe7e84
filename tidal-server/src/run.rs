//! What the program does, from its arguments to its end.

use std::fs;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use tidal_server::demo::directory::{DATABASE, Refusal, SCHEMA};
use tidal_server::demo::{self, Import, ImportError, Progress};
use tidal_server::http::App;
use tidal_server::serve::{asked_to_stop, say, serve};
use tidaldb::{Database, ErrorKind, Options, Schema};
use tokio::net::TcpListener;

use crate::arguments::{Arguments, Command, Demo, Serve};

/// Why the program ends with an error.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    pub(crate) message: String,
}

impl Failure {
    fn new(message: String) -> Failure {
        Failure { code: 1, message }
    }
}

impl From<tidaldb::Error> for Failure {
    fn from(error: tidaldb::Error) -> Failure {
        let code = match error.kind() {
            ErrorKind::Invalid => 2,
            ErrorKind::Busy => 3,
            ErrorKind::Corrupt => 4,
            ErrorKind::SchemaMismatch => 5,
            _ => 1,
        };
        Failure { code, message: error.to_string() }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        match refusal {
            Refusal::Taken(message) => Failure { code: 2, message },
            Refusal::Unreadable(message) => Failure::new(message),
        }
    }
}

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    match (arguments.command, arguments.serve) {
        (Some(Command::Demo(demo)), _) => run_demo(&demo),
        (None, Some(serve)) => run_server(&serve),
        (None, None) => Err(Failure { code: 2, message: "expected --schema and --data, or demo".to_owned() }),
    }
}

fn run_server(arguments: &Serve) -> Result<(), Failure> {
    let path = &arguments.schema;
    let text = fs::read_to_string(path)
        .map_err(|error| Failure { code: 2, message: format!("cannot read {}: {error}", path.display()) })?;
    let schema = Schema::parse(&text)
        .map_err(|error| Failure { code: 2, message: format!("{}: {error}", path.display()) })?;
    let database = open(&arguments.data, schema)?;
    until_stopped(arguments.listen, App::new(database.clone()))?;
    close(&database)
}

/// The demo's directory holds `database/`, `cache/`, `schema.yaml` and `import.json`, so that the database can be served
/// without the demo as well.
fn run_demo(arguments: &Demo) -> Result<(), Failure> {
    let directory = &arguments.data;
    demo::directory::check(directory, arguments.source)?;
    let schema = Schema::parse(demo::SCHEMA)?;
    let database = open(&directory.join(DATABASE), schema)?;
    fs::write(directory.join(SCHEMA), demo::SCHEMA)
        .map_err(|error| Failure::new(format!("cannot write to {}: {error}", directory.display())))?;
    let progress = Progress::default();
    let stop = Arc::new(AtomicBool::new(false));
    let import = import(arguments, &database, &progress, &stop)?;
    let served = until_stopped(arguments.listen, App::new(database.clone()).importing(progress));
    stop.store(true, Ordering::Release);
    // The import ends after the batch that it is at.
    let imported = import.join().map_err(|_| Failure::new("the import panicked".to_owned()))?;
    served?;
    close(&database)?;
    match imported {
        Ok(()) => Ok(()),
        Err(ImportError::Stopped) => {
            say("the import is not complete; it goes on at the next start");
            Ok(())
        }
        Err(ImportError::Failed(reason)) => Err(Failure::new(reason)),
    }
}

/// Imports beside the server, which answers from what is there so far.
fn import(
    arguments: &Demo,
    database: &Database,
    progress: &Progress,
    stop: &Arc<AtomicBool>,
) -> Result<JoinHandle<Result<(), ImportError>>, Failure> {
    let (directory, choice) = (arguments.data.clone(), arguments.source);
    let (database, progress, stop) = (database.clone(), progress.clone(), Arc::clone(stop));
    let work = move || {
        let import =
            Import { directory, choice, now: unix_micros(), progress: &progress, stop: &stop, say: &say };
        let result = import.run(&database);
        if let Err(ImportError::Failed(reason)) = &result {
            say(&format!("the import failed: {reason}"));
        }
        result
    };
    thread::Builder::new()
        .name("import".to_owned())
        .spawn(work)
        .map_err(|error| Failure::new(format!("cannot start the import: {error}")))
}

fn unix_micros() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

fn open(directory: &Path, schema: Schema) -> Result<Database, Failure> {
    fs::create_dir_all(directory)
        .map_err(|error| Failure::new(format!("cannot create {}: {error}", directory.display())))?;
    Ok(Database::open(directory, schema, Options { durable: true })?)
}

fn close(database: &Database) -> Result<(), Failure> {
    database.close()?;
    say("stopped; everything is saved");
    Ok(())
}

fn until_stopped(address: SocketAddr, app: App) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {error}")))?;
    let served = runtime.block_on(async {
        // Before anyone is told the address, so that a stop asked for at once is not missed.
        let stop = tokio::spawn(asked_to_stop());
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        announce(address)?;
        serve(listener, app, async { stop.await.unwrap_or_else(|error| Err(io::Error::other(error))) }).await
    });
    served.map_err(|error: io::Error| Failure::new(format!("cannot serve on {address}: {error}")))
}

/// The one line on standard output, for programs that started this one.
fn announce(address: SocketAddr) -> io::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "listening on http://{address}/")?;
    out.flush()
}
