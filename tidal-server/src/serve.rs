//! Serves an application on a socket until it is told to stop.

use std::fmt;
use std::future::Future;
use std::io::{self, Write};
use std::net::SocketAddr;

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::connections::Bounded;
use crate::http::{App, router};
use crate::limits::STOP_TIME;

/// Why an address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotLoopback(SocketAddr);

impl fmt::Display for NotLoopback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.0;
        write!(
            f,
            "{address} is reachable from other machines, and this server cannot tell its callers apart yet: there are no \
             access tokens; listen on 127.0.0.1 or [::1]"
        )
    }
}

/// An address that only this machine reaches.
///
/// # Errors
/// Any other address.
pub fn loopback(address: SocketAddr) -> Result<SocketAddr, NotLoopback> {
    if address.ip().is_loopback() { Ok(address) } else { Err(NotLoopback(address)) }
}

/// Answers requests until `stop` completes. Then takes no more, lets those under way finish for at most [`STOP_TIME`],
/// and returns.
pub async fn serve(
    listener: TcpListener,
    app: App,
    stop: impl Future<Output = io::Result<()>>,
) -> io::Result<()> {
    let (stopping, mut stopped) = watch::channel(false);
    let server = axum::serve(Bounded::new(listener), router(app)).with_graceful_shutdown(async move {
        // An error means that the sender is gone, which is as good a reason to stop.
        stopped.wait_for(|stop| *stop).await.ok();
    });
    let mut server = tokio::spawn(server.into_future());
    tokio::select! {
        ended = &mut server => return ended.unwrap_or_else(|error| Err(io::Error::other(error))),
        asked = stop => asked?,
    }
    stopping.send_replace(true);
    match tokio::time::timeout(STOP_TIME, &mut server).await {
        Ok(ended) => ended.unwrap_or_else(|error| Err(io::Error::other(error))),
        Err(_) => {
            say("some requests did not finish in time and are cut off");
            server.abort();
            Ok(())
        }
    }
}

/// Completes when the process is asked to end.
pub async fn asked_to_stop() -> io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

/// Tells the person at the terminal something. If nobody listens any more, that is no reason to stop serving.
pub fn say(line: &str) {
    writeln!(io::stderr(), "{line}").ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_are_taken() {
        for address in ["127.0.0.1:9500", "[::1]:0", "127.1.2.3:1"] {
            assert!(loopback(address.parse().unwrap()).is_ok(), "{address}");
        }
        for address in ["0.0.0.0:9500", "[::]:9500", "10.1.2.3:80"] {
            let reason = loopback(address.parse().unwrap()).unwrap_err().to_string();
            assert!(reason.starts_with(address) && reason.contains("no access tokens"), "{reason}");
        }
    }
}
