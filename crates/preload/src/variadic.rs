//! Functions with a variable number of arguments.
//!
//! Rust cannot define them yet, so C makes a `va_list` of the arguments (`variadic.c`) and calls
//! the function that takes one. The linker exports no names out of C; each exported name is
//! therefore a jump.

use core::arch::{global_asm, naked_asm};
use core::ffi::c_int;

use crate::stdio;

/// Leads the name that C knows to a Rust function, and the exported name to the C function.
macro_rules! variadic {
    ($($name:ident, $c:ident => $list:ident, $rust:ident;)*) => {$(
        global_asm!(
            concat!(".globl ", stringify!($rust)),
            concat!(".hidden ", stringify!($rust)),
            concat!(".type ", stringify!($rust), ", @function"),
            concat!(stringify!($rust), ": jmp {list}"),
            list = sym stdio::$list,
        );

        unsafe extern "C" {
            fn $c();
        }

        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() -> c_int {
            naked_asm!("jmp {}", sym $c);
        }
    )*};
}

variadic! {
    fprintf, ioglass_fprintf => vfprintf, ioglass_vfprintf;
    printf, ioglass_printf => vprintf, ioglass_vprintf;
    dprintf, ioglass_dprintf => vdprintf, ioglass_vdprintf;
    __fprintf_chk, ioglass_fprintf_chk => __vfprintf_chk, ioglass_vfprintf_chk;
    __printf_chk, ioglass_printf_chk => __vprintf_chk, ioglass_vprintf_chk;
    __dprintf_chk, ioglass_dprintf_chk => __vdprintf_chk, ioglass_vdprintf_chk;
    fscanf, ioglass_fscanf => vfscanf, ioglass_vfscanf;
    scanf, ioglass_scanf => vscanf, ioglass_vscanf;
    __isoc99_fscanf, ioglass_isoc99_fscanf => __isoc99_vfscanf, ioglass_isoc99_vfscanf;
    __isoc99_scanf, ioglass_isoc99_scanf => __isoc99_vscanf, ioglass_isoc99_vscanf;
    __isoc23_fscanf, ioglass_isoc23_fscanf => __isoc23_vfscanf, ioglass_isoc23_vfscanf;
    __isoc23_scanf, ioglass_isoc23_scanf => __isoc23_vscanf, ioglass_isoc23_vscanf;
}
