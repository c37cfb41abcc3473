//! Compiles the C part and links the library so that all symbols are bound when it is loaded, and
//! so that it copies bytes with its own functions (`src/bytes.rs`).

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg=-Wl,-z,now");
    // The C library keeps pointers to its functions.
    println!("cargo:rustc-link-arg=-Wl,-z,nodelete");
    for name in ["memcpy", "memmove", "memset", "memcmp", "bcmp"] {
        println!("cargo:rustc-link-arg=-Wl,--wrap={name}");
    }
    println!("cargo:rerun-if-changed=src/variadic.c");
    cc::Build::new()
        .file("src/variadic.c")
        .opt_level(2)
        .flag("-ffreestanding")
        .flag("-fno-stack-protector")
        .compile("variadic");
}
