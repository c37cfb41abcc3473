//! Copying and comparing bytes without the program's C library.
//!
//! ThreadSanitizer and others take over `memcpy` and its like, and see our own memory change
//! without the locks that they know. The linker replaces the names in this library by these.

use core::arch::global_asm;

#[cfg(target_arch = "x86_64")]
global_asm!(
    ".pushsection .text.ioglass_bytes,\"ax\",@progbits",
    ".hidden __wrap_memcpy, __wrap_memmove, __wrap_memset, __wrap_memcmp, __wrap_bcmp",
    ".globl __wrap_memcpy, __wrap_memmove, __wrap_memset, __wrap_memcmp, __wrap_bcmp",
    "__wrap_memmove:",
    // Overlapping upwards: from the end.
    "    mov rax, rdi",
    "    mov rcx, rdi",
    "    sub rcx, rsi",
    "    cmp rcx, rdx",
    "    jae 2f",
    "    mov rcx, rdx",
    "    lea rdi, [rdi + rdx - 1]",
    "    lea rsi, [rsi + rdx - 1]",
    "    std",
    "    rep movsb",
    "    cld",
    "    ret",
    "__wrap_memcpy:",
    "    mov rax, rdi",
    "2:  mov rcx, rdx",
    "    rep movsb",
    "    ret",
    "__wrap_memset:",
    "    mov r8, rdi",
    "    mov eax, esi",
    "    mov rcx, rdx",
    "    rep stosb",
    "    mov rax, r8",
    "    ret",
    "__wrap_bcmp:",
    "__wrap_memcmp:",
    "    xor ecx, ecx",
    "3:  cmp rcx, rdx",
    "    je 4f",
    "    movzx eax, byte ptr [rdi + rcx]",
    "    movzx r8d, byte ptr [rsi + rcx]",
    "    inc rcx",
    "    sub eax, r8d",
    "    je 3b",
    "    ret",
    "4:  xor eax, eax",
    "    ret",
    ".popsection",
);
