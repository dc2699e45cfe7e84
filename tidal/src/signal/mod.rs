//! Signals: what happens to items, users and creators, counted with decay and in windows.

mod window;

pub use window::Window;
