//! The choice between ASCII and other signs.

use std::env;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ioglass_report::glyphs::Glyphs;

static ASCII: AtomicBool = AtomicBool::new(false);

/// Chooses for the whole command: ASCII if it is asked for, or if the terminal or the locale has no other
/// signs.
pub(crate) fn choose(asked: bool) {
    let is_dumb = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    ASCII.store(asked || is_dumb || !locale_is_utf8(), Relaxed);
}

/// Returns true for a UTF-8 locale, and if no locale is set.
fn locale_is_utf8() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(|name| env::var(name).ok());
    set.filter(|locale| !locale.is_empty()).take(1).all(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// Returns true if ASCII was chosen.
pub(crate) fn is_ascii() -> bool {
    ASCII.load(Relaxed)
}

/// A writer that replaces other signs if ASCII was chosen.
pub(crate) fn shown(out: impl Write) -> impl Write {
    Glyphs::new(out, is_ascii())
}
