//! Signs beyond ASCII, and what stands for them where they cannot be shown.

use std::env;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static ASCII: AtomicBool = AtomicBool::new(false);

/// Decides for the whole run: plain signs if they are asked for, or the terminal or the locale has
/// no others.
pub(crate) fn choose(asked: bool) {
    let is_dumb = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    ASCII.store(asked || is_dumb || !locale_is_utf8(), Relaxed);
}

/// Without any locale the terminal is taken to be of this century.
fn locale_is_utf8() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(|name| env::var(name).ok());
    set.filter(|locale| !locale.is_empty()).take(1).all(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// What stands for a sign.
fn plain(sign: char) -> &'static str {
    match sign {
        '▲' => "!!",
        '◆' => "! ",
        '○' => "--",
        '✓' => "ok",
        '…' => "..",
        '×' => "x",
        '→' => "->",
        '█' => "#",
        '▓' => "=",
        '▒' => "+",
        '░' => ".",
        _ => "?",
    }
}

/// Writes on, with plain signs where others cannot be shown.
pub(crate) struct Glyphs<W>(pub(crate) W);

impl<W: Write> Write for Glyphs<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_ascii() || !ASCII.load(Relaxed) {
            return self.0.write(bytes);
        }
        for sign in String::from_utf8_lossy(bytes).chars() {
            if sign.is_ascii() {
                self.0.write_all(&[sign as u8])?;
            } else {
                self.0.write_all(plain(sign).as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
