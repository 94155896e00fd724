use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use tracing_subscriber::{Layer, filter::LevelFilter, fmt::MakeWriter, layer::SubscriberExt};

/// What was logged, as text.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Collects what this thread logs from now on, while the guard lives.
    pub fn collect(level: LevelFilter) -> (Self, tracing::subscriber::DefaultGuard) {
        let log = Self::default();
        let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(log.clone()).with_filter(level);
        let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));
        (log, guard)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
