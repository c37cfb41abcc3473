//! Compiles what only C can say, and links the library so that all is bound when it is loaded, and so
//! that it copies bytes by its own means (`src/bytes.rs`).

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg=-Wl,-z,now");
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
