//! One worker at a time sends from a file.

/// Held while a worker runs. The operating system releases it however the process ends. The default locks nothing, for
/// a store from which several workers send.
#[derive(Debug, Default)]
pub(crate) struct Lock(
    #[cfg(feature = "sqlite")]
    #[allow(dead_code, reason = "the file is locked as long as it is open")]
    Option<std::fs::File>,
);

#[cfg(feature = "sqlite")]
impl Lock {
    pub(crate) fn on(file: &std::path::Path) -> Result<Self, crate::OutboxError> {
        use crate::OutboxError;

        let name = || file.display().to_string();
        let problem = |error| OutboxError::store(format!("{} cannot be locked", name())).with_source(error);
        let opened = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(file);
        let opened = opened.map_err(problem)?;
        match fs4::FileExt::try_lock(&opened) {
            Ok(()) => Ok(Self(Some(opened))),
            Err(fs4::TryLockError::WouldBlock) => Err(OutboxError::Locked { file: name() }),
            Err(fs4::TryLockError::Error(error)) => Err(problem(error)),
        }
    }
}
