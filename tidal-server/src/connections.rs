//! Connections, bounded: how many there are, and how long one may say nothing.
//!
//! Without a bound clients that connect and stay silent would take every file descriptor of the process, of which the
//! database needs some.

#[cfg(test)]
mod tests;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep};

use crate::limits::{CONNECTION_IDLE_TIME, MAX_CONNECTIONS};

/// A listener that takes no more connections than [`MAX_CONNECTIONS`] at a time: one more waits in the system's queue.
#[derive(Debug)]
pub(crate) struct Bounded {
    listener: TcpListener,
    places: Arc<Semaphore>,
}

impl Bounded {
    pub(crate) fn new(listener: TcpListener) -> Bounded {
        Bounded { listener, places: Arc::new(Semaphore::new(MAX_CONNECTIONS)) }
    }
}

impl Listener for Bounded {
    type Io = Connection<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection<TcpStream>, SocketAddr) {
        let place = Arc::clone(&self.places).acquire_owned().await.expect("nobody closes the semaphore");
        let (stream, address) = Listener::accept(&mut self.listener).await;
        (Connection::new(stream, place), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that ends when no byte came or went for [`CONNECTION_IDLE_TIME`]. That is longer than a request may
/// take, so that none under way is cut off.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    stream: S,
    silence: Pin<Box<Sleep>>,
    _place: OwnedSemaphorePermit,
}

impl<S> Connection<S> {
    fn new(stream: S, place: OwnedSemaphorePermit) -> Connection<S> {
        Connection { stream, silence: Box::pin(tokio::time::sleep(CONNECTION_IDLE_TIME)), _place: place }
    }

    /// What a call came to, which ends the silence; or the error when the silence was too long.
    fn heard<T>(&mut self, polled: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.silence.as_mut().reset(Instant::now() + CONNECTION_IDLE_TIME);
            return polled;
        }
        ready!(self.silence.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client was silent for too long")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.stream).poll_read(context, buffer);
        this.heard(polled, context)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.heard(polled, context)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
