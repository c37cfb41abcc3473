//! POSIX asynchronous I/O: an operation is counted when its result is collected.

use core::ffi::{c_int, c_void};

use ioglass_recorder::file;
use ioglass_recorder::pending::{self, AsyncRequest};
use ioglass_recorder::posix::Direction::{self, Read, Write};
use libc::{aiocb, ssize_t};

use crate::real::interpose;

/// The request in a control block.
unsafe fn request(block: *const aiocb, direction: Direction) -> AsyncRequest {
    // SAFETY: the program passes it to the system.
    let block = unsafe { &*block };
    AsyncRequest {
        fd: block.aio_fildes,
        direction,
        offset: block.aio_offset,
        buffer: block.aio_buf as usize,
    }
}

unsafe fn submit(block: *mut aiocb, direction: Direction, call: impl FnOnce() -> c_int) -> c_int {
    if block.is_null() || !file::is_open() {
        return call();
    }
    // SAFETY: not null, and the system is about to read it.
    pending::submit(block as usize, unsafe { request(block, direction) });
    let result = call();
    if result != 0 {
        pending::withdraw(block as usize);
    }
    result
}

fn collect(block: *mut aiocb, call: impl FnOnce() -> ssize_t) -> ssize_t {
    let result = call();
    pending::collect(block as usize, result);
    result
}

unsafe fn submit_list(
    list: *const *mut aiocb,
    count: c_int,
    call: impl FnOnce() -> c_int,
) -> c_int {
    if list.is_null() || count <= 0 || !file::is_open() {
        return call();
    }
    // SAFETY: the system is about to read the list, and each block that is not null.
    unsafe {
        let blocks = core::slice::from_raw_parts(list, count as usize);
        for &block in blocks.iter().filter(|block| !block.is_null()) {
            let direction = match (*block).aio_lio_opcode {
                libc::LIO_READ => Read,
                libc::LIO_WRITE => Write,
                _ => continue,
            };
            pending::submit(block as usize, request(block, direction));
        }
    }
    // Even if the call fails, some operations may be under way; the others are never collected.
    call()
}

interpose! {
    fn aio_read(block: *mut aiocb) -> c_int = |real| submit(block, Read, move || real(block));
    fn aio_read64(block: *mut aiocb) -> c_int = |real| submit(block, Read, move || real(block));
    fn aio_write(block: *mut aiocb) -> c_int = |real| submit(block, Write, move || real(block));
    fn aio_write64(block: *mut aiocb) -> c_int = |real| submit(block, Write, move || real(block));
    fn aio_return(block: *mut aiocb) -> ssize_t = |real| collect(block, move || real(block));
    fn aio_return64(block: *mut aiocb) -> ssize_t = |real| collect(block, move || real(block));
    fn lio_listio(
        mode: c_int, list: *const *mut aiocb, count: c_int, event: *mut c_void,
    ) -> c_int = |real| submit_list(list, count, move || real(mode, list, count, event));
    fn lio_listio64(
        mode: c_int, list: *const *mut aiocb, count: c_int, event: *mut c_void,
    ) -> c_int = |real| submit_list(list, count, move || real(mode, list, count, event));
}
