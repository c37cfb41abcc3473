//! Whether the terminal can show more than ASCII.

use std::env;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ioglass_report::glyphs::Glyphs;

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

/// What was decided.
pub(crate) fn is_ascii() -> bool {
    ASCII.load(Relaxed)
}

/// Writes on, with plain signs where others cannot be shown.
pub(crate) fn shown(out: impl Write) -> impl Write {
    Glyphs::new(out, is_ascii())
}
