//! Compiles what only C can say, and links the library so that it loads on glibc 2.28, where `dlsym`
//! is in a library of its own, and so that it copies bytes by its own means (`src/bytes.rs`).

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for argument in ["--push-state", "--no-as-needed", "-l:libdl.so.2", "--pop-state", "-z,now"] {
        println!("cargo:rustc-link-arg=-Wl,{argument}");
    }
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
