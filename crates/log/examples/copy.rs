//! Copies a log into the current format: `cargo run --example copy OLD NEW`.

use std::error::Error;
use std::fs::File;

use ioglass_log::{Compression, Log, copy};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(old), Some(new)) = (arguments.next(), arguments.next()) else {
        return Err("usage: copy OLD NEW".into());
    };
    copy(&Log::open(old)?, File::create(new)?, Compression::Zlib)?;
    Ok(())
}
