//! Unpacks gzip and zstd, which are recognised by their first bytes.
//!
//! All members of a file are read, since log rotation appends members to a file. A truncated file
//! yields the data before the cut and then an error, which the reader reports with its line.

use std::io::{self, BufReader, Chain, Cursor, Read};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// The compression of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Not compressed.
    None,
    /// gzip, RFC 1952.
    Gzip,
    /// Zstandard, RFC 8878.
    Zstd,
}

/// Returns the uncompressed stream, and how it was compressed.
///
/// # Errors
/// If the first bytes cannot be read.
pub fn unpack<'i>(input: Box<dyn Read + 'i>) -> io::Result<(Box<dyn Read + 'i>, Packing)> {
    let input = peek(Cursor::default().chain(BufReader::new(input)))?;
    Ok(match head(&input) {
        [0x1f, 0x8b, ..] => (Box::new(flate2::read::MultiGzDecoder::new(input)), Packing::Gzip),
        // The second pattern is a skippable frame, with which some files begin.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            (Box::new(Zstd { state: FrameState::Between(input) }), Packing::Zstd)
        }
        _ => (Box::new(input), Packing::None),
    })
}

/// A stream with the bytes that were inspected put in front again.
type Peeked<'i> = Chain<Cursor<Vec<u8>>, BufReader<Box<dyn Read + 'i>>>;

/// Makes the next eight bytes of a stream, or fewer at its end, available to [`head`].
fn peek(input: Peeked<'_>) -> io::Result<Peeked<'_>> {
    let (mut before, mut input) = input.into_inner();
    let mut head = Vec::new();
    before.read_to_end(&mut head)?;
    let missing = 8_usize.saturating_sub(head.len());
    (&mut input).take(missing as u64).read_to_end(&mut head)?;
    Ok(Cursor::new(head).chain(input))
}

/// The inspected bytes of a stream. None of them may have been read since.
fn head<'h>(input: &'h Peeked<'_>) -> &'h [u8] {
    input.get_ref().0.get_ref()
}

/// The decoder of all frames of a stream.
struct Zstd<'i> {
    state: FrameState<'i>,
}

enum FrameState<'i> {
    Between(Peeked<'i>),
    Within(Box<StreamingDecoder<Peeked<'i>, FrameDecoder>>),
    Ended,
}

impl Read for Zstd<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, FrameState::Ended) {
                FrameState::Ended => return Ok(0),
                FrameState::Between(input) => {
                    let mut input = peek(input)?;
                    match *head(&input) {
                        [] => return Ok(0),
                        // A skippable frame: its length follows its magic number.
                        [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d] => {
                            let length = u64::from(u32::from_le_bytes([a, b, c, d])) + 8;
                            let passed = io::copy(&mut (&mut input).take(length), &mut io::sink())?;
                            if passed < length {
                                return Err(io::ErrorKind::UnexpectedEof.into());
                            }
                            self.state = FrameState::Between(input);
                        }
                        _ => {
                            let frame = StreamingDecoder::new(input).map_err(io::Error::other)?;
                            self.state = FrameState::Within(Box::new(frame));
                        }
                    }
                }
                FrameState::Within(mut frame) => {
                    let length = frame.read(buffer)?;
                    if length > 0 {
                        self.state = FrameState::Within(frame);
                        return Ok(length);
                    }
                    self.state = FrameState::Between(frame.into_inner());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &str) -> Vec<u8> {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        ruzstd::encoding::compress_to_vec(text.as_bytes(), level)
    }

    fn unpacked(bytes: &[u8]) -> (String, Packing, bool) {
        let (mut stream, packing) = unpack(Box::new(bytes)).unwrap();
        let mut text = Vec::new();
        let whole = stream.read_to_end(&mut text).is_ok();
        (String::from_utf8_lossy(&text).into_owned(), packing, whole)
    }

    #[test]
    fn packed_files_are_known_by_their_first_bytes() {
        let text = "one line\nanother\n".repeat(1000);
        for (bytes, packing) in [
            (text.clone().into_bytes(), Packing::None),
            (gzip(&text), Packing::Gzip),
            (zstd(&text), Packing::Zstd),
        ] {
            assert_eq!(unpacked(&bytes), (text.clone(), packing, true));
        }
        for short in ["", "a", "ab", "abc"] {
            assert_eq!(unpacked(short.as_bytes()), (short.to_owned(), Packing::None, true));
        }
    }

    #[test]
    fn all_members_are_read() {
        let both = [gzip("a\n"), gzip("b\n")].concat();
        assert_eq!(unpacked(&both), ("a\nb\n".to_owned(), Packing::Gzip, true));
        let skip = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3].to_vec();
        let both = [skip.clone(), zstd("a\n"), skip, zstd("b\n")].concat();
        assert_eq!(unpacked(&both), ("a\nb\n".to_owned(), Packing::Zstd, true));
    }

    #[test]
    fn a_cut_file_gives_what_it_has_and_an_error() {
        let lines: Vec<String> = (0..20_000).map(|i| format!("line {i}")).collect();
        let text = lines.join("\n");
        for packed in [gzip(&text), zstd(&text)] {
            let (got, _, whole) = unpacked(&packed[..packed.len() / 2]);
            assert!(!whole);
            assert!(text.starts_with(&got) && got.len() < text.len());
        }
    }
}
