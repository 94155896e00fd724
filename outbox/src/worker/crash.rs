//! Points at which a test ends the process.

/// Ends the process as a power failure would, if the environment names this point.
pub(crate) fn point(name: &str) {
    #[cfg(feature = "testing")]
    if std::env::var("BDC_OUTBOX_CRASH_AT").is_ok_and(|at| at == name) {
        std::process::abort();
    }
    #[cfg(not(feature = "testing"))]
    let _ = name;
}
