//! Where the program writes its log: to stderr, by a thread of its own, from a queue.
//!
//! Whoever reads stderr may stop reading, or be gone. Neither may stop the sandbox, or change a reply: a line that does
//! not fit into the queue is dropped and counted, and after an error, such as a closed pipe, nothing more is written.

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use tracing_subscriber::fmt::MakeWriter;

/// How many lines wait to be written; further ones are dropped.
const QUEUE: usize = 4096;

/// A queue of lines to write.
#[derive(Clone)]
pub struct LogQueue {
    lines: SyncSender<Message>,
    dropped: Arc<AtomicU64>,
}

enum Message {
    Line(Vec<u8>),
    /// Asks for an answer once everything before it is written.
    Flush(SyncSender<()>),
}

impl LogQueue {
    /// Starts the thread that writes.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(output: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, queue) = sync_channel(QUEUE);
        let dropped = Arc::<AtomicU64>::default();
        let counter = dropped.clone();
        thread::Builder::new().name("bdc-sandbox-log".to_owned()).spawn(move || {
            // An error ends the log, and nothing else.
            let _ = write(output, &queue, &counter);
            // What is sent from now on is taken out of the queue, so that nothing counts it as dropped.
            queue.iter().for_each(drop);
        })?;
        Ok(Self { lines, dropped })
    }

    /// Waits until what was logged is written, but not for long: nobody may be reading.
    pub fn flush(&self, patience: Duration) {
        let (written, wait) = sync_channel(1);
        if self.lines.try_send(Message::Flush(written)).is_ok() {
            // There is nothing to do about a log that is not read.
            let _: Result<(), RecvTimeoutError> = wait.recv_timeout(patience);
        }
    }
}

fn write(mut output: impl Write, queue: &Receiver<Message>, dropped: &AtomicU64) -> io::Result<()> {
    while let Ok(message) = queue.recv() {
        match message {
            Message::Line(line) => output.write_all(&line)?,
            // Who asked may have stopped waiting.
            Message::Flush(written) => _ = written.send(()),
        }
        match dropped.swap(0, Ordering::Relaxed) {
            0 => {}
            lines => writeln!(output, "bdc-sandbox: {lines} lines of the log were dropped, since they were not read")?,
        }
    }
    Ok(())
}

impl<'a> MakeWriter<'a> for LogQueue {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { queue: self.clone(), text: Vec::new() }
    }
}

/// One line of the log, which is queued once it is complete.
pub struct Line {
    queue: LogQueue,
    text: Vec<u8>,
}

impl Write for Line {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if !self.text.is_empty() && self.queue.lines.try_send(Message::Line(std::mem::take(&mut self.text))).is_err() {
            self.queue.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Mutex, PoisonError,
        mpsc::{Sender, channel},
    };

    use super::*;

    /// An output that writes when it is permitted to, or fails once nobody can permit it any more.
    struct Slow {
        permits: Receiver<()>,
        begun: Sender<()>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Slow {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            let _ = self.begun.send(());
            self.permits.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
            self.written.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(text);
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn log(queue: &LogQueue, line: &str) {
        queue.make_writer().write_all(line.as_bytes()).unwrap();
    }

    #[test]
    fn lines_that_are_not_read_are_dropped_and_counted_and_a_closed_output_ends_the_log_only() {
        let (permit, permits) = channel();
        let (begun, begins) = channel();
        let written = Arc::<Mutex<Vec<u8>>>::default();
        let queue = LogQueue::start(Slow { permits, begun, written: written.clone() }).unwrap();
        log(&queue, "first\n");
        begins.recv().unwrap();
        // The thread is busy with the first line, and never gets on.
        (0..QUEUE + 7).for_each(|_| log(&queue, "next\n"));
        // Each line is a write, and the number of those that were dropped is three.
        (0..QUEUE + 4).for_each(|_| permit.send(()).unwrap());
        (0..QUEUE + 3).for_each(|_| begins.recv().unwrap());
        queue.flush(Duration::MAX);
        let text = String::from_utf8(written.lock().unwrap().clone()).unwrap();
        assert_eq!(text.matches("next\n").count(), QUEUE, "{text}");
        assert!(text.contains("bdc-sandbox: 7 lines of the log were dropped"), "{text}");

        drop(permit);
        // Each is taken out of the queue, although none is written.
        (0..QUEUE * 2).for_each(|_| log(&queue, "more\n"));
    }
}
