//! What an input sends to the thread that owns the groups.

use std::sync::mpsc::SyncSender;

/// Whole lines of a log, or one export request.
#[derive(Debug)]
pub struct Batch {
    /// The name by which the user knows the log.
    pub name: String,
    /// The number of its source in the mapping.
    pub source: usize,
    /// The number of the first line, or of the first span.
    pub line: u32,
    /// The offset of the first byte in the log.
    pub offset: u64,
    /// What was read.
    pub content: Content,
    /// For a file: which one it is, so that a restart goes on behind this batch.
    pub file: Option<FileMark>,
    /// Where to say that the batch is on disk.
    pub receipt: Option<Receipt>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Whole lines.
    Lines(Vec<u8>),
    /// An export request of OTLP as protocol buffers, which was checked, and the number of its spans.
    Spans(Vec<u8>, u32),
}

impl Content {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Content::Lines(bytes) | Content::Spans(bytes, _) => bytes,
        }
    }
}

/// Tells a file from all others, also when it has another name or when another file got its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileMark {
    /// The device and the number of the file on it.
    pub inode: (u64, u64),
    /// The length of the beginning that was hashed, and the hash.
    pub head: (u32, u64),
}

/// What an input sends.
#[derive(Debug)]
pub enum Message {
    /// Something was read.
    Batch(Batch),
    /// A remark for the user.
    Remark(String),
    /// The input has ended: nothing more will come of it.
    Ended,
}

/// Called once with what became of a batch. Dropping it unused means that the batch was not taken.
pub struct Receipt(Box<dyn FnOnce(Taken) + Send>);

/// What became of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// It is on disk, or there is no write-ahead log.
    Yes,
    /// It could not be written, for this reason.
    No(String),
}

impl Receipt {
    /// A receipt that calls a function.
    pub fn new(done: impl FnOnce(Taken) + Send + 'static) -> Receipt {
        Receipt(Box::new(done))
    }

    /// Says what became of the batch.
    pub fn give(self, taken: Taken) {
        (self.0)(taken);
    }
}

impl std::fmt::Debug for Receipt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Receipt")
    }
}

/// Where inputs send to. It is bounded: an input waits, or refuses, while the groups are behind.
pub type Sender = SyncSender<Message>;

/// The number of messages that wait at most.
pub(crate) const WAITING: usize = 64;
