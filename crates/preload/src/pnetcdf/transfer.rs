//! The functions of PnetCDF that read and write.
//!
//! There are 550: they differ in the direction, in the choice of points, in the type of the buffer,
//! and in being collective or nonblocking. All but the type of the buffer determine how a call
//! is booked.

use core::ffi::c_int;
use core::slice;
use core::sync::atomic::AtomicU64;

use ioglass_recorder::pnetcdf::{self, Access, Booked, Class, MovedPart, VariableShape};
use ioglass_recorder::posix::{Direction, Direction::Read, Direction::Write};
use ioglass_schema::pnetcdf_var as var;

use super::ask::{self, Library};
use super::{name, succeeded};

/// The arguments of a call. All are words, and no function has more; a function with fewer ignores
/// the rest.
type ArgumentWords = [usize; 10];
type Function = unsafe extern "C" fn(
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
) -> c_int;

/// The choice of points of a call.
#[derive(Clone, Copy)]
enum Choice {
    /// All.
    All,
    /// One.
    One,
    /// A block: its start and its lengths.
    Block,
    /// The same with strides between points.
    Strided,
    /// Several blocks.
    Several,
    /// As an MPI datatype describes.
    Described,
}

/// The common properties of functions that differ only in the type of the buffer.
#[derive(Clone, Copy)]
struct Family {
    direction: Direction,
    class: Class,
    choice: Choice,
    counter: usize,
}

/// Dimensions that a record has room for.
const DIMENSIONS: usize = 5;

fn transfer(real: Function, family: Family, words: ArgumentWords) -> c_int {
    let [a, b, c, d, e, f, g, h, i, j] = words;
    // SAFETY: the caller keeps to the contract of the function it has called.
    let call = || unsafe { real(a, b, c, d, e, f, g, h, i, j) };
    succeeded(real as _, call, |library, span| {
        let Family { direction, class, choice, counter } = family;
        let access = Access { direction, class, family: counter, span };
        book(library, real as usize, choice, &words, &access);
    })
}

fn book(library: &Library, address: usize, choice: Choice, words: &ArgumentWords, access: &Access) {
    let (file, number) = (words[0] as c_int, words[1] as c_int);
    let mut asked = match choice {
        Choice::Described => Some(ask::type_size(address, words[2])),
        _ => None,
    };
    // Each query is made at most once, and not while a lock is held.
    for _ in 0..3 {
        // SAFETY: the arguments of a call that has succeeded.
        let part = |shape: &VariableShape| unsafe { part(choice, words, shape, asked) };
        match pnetcdf::accessed(library.file(file), number, access, part) {
            Booked::NotYet if ask::find(library, file, number) => {}
            Booked::Unsized => asked = Some(ask::records(library, file).unwrap_or(1)),
            Booked::NotYet | Booked::Whole => return,
        }
    }
}

/// The part of a variable of this shape that a call with these arguments moves. `None` if something
/// must be `asked` first: the number of records, or bytes that MPI describes.
unsafe fn part(
    choice: Choice,
    words: &ArgumentWords,
    shape: &VariableShape,
    asked: Option<i64>,
) -> Option<MovedPart> {
    let mut access = [0; 2 * DIMENSIONS];
    let dimensions = usize::try_from(shape.dimensions).unwrap_or(0);
    // SAFETY: null, or an array with an element for each dimension.
    let array = |word: usize| unsafe {
        let array = (word as *const i64).as_ref().filter(|_| dimensions > 0);
        array.map_or(&[][..], |first| slice::from_raw_parts(first, dimensions))
    };
    let product =
        |lengths: &[i64]| lengths.iter().fold(1, |all: i64, one| all.saturating_mul(*one));
    let points = match choice {
        Choice::All if shape.has_records => shape.points.saturating_mul(asked?),
        Choice::All => shape.points,
        Choice::One => 1,
        Choice::Block | Choice::Strided => {
            let lengths = array(words[3]);
            // Where there are more dimensions than a record holds, the last ones are used.
            let first = dimensions.saturating_sub(DIMENSIONS);
            for (to, from) in access[..DIMENSIONS].iter_mut().zip(lengths.iter().skip(first)) {
                *to = *from;
            }
            if let Choice::Strided = choice {
                let strides = array(words[4]);
                for dimension in first..dimensions {
                    let stride = strides.get(dimension).copied().unwrap_or(1);
                    access[DIMENSIONS + dimension - first] = stride;
                }
            }
            product(lengths)
        }
        Choice::Several => {
            let count = words[2] as c_int;
            let lengths = words[4] as *const usize;
            (0..usize::try_from(count).unwrap_or(0))
                .map(|i| {
                    // SAFETY: without lengths, each block is one point.
                    let block = if lengths.is_null() { 0 } else { unsafe { *lengths.add(i) } };
                    product(array(block))
                })
                .fold(0, i64::saturating_add)
        }
        Choice::Described => return Some(MovedPart { bytes: asked?, shape: access }),
    };
    Some(MovedPart { bytes: points.saturating_mul(shape.element), shape: access })
}

/// Exports a function.
macro_rules! export {
    ($name:expr, $direction:ident $class:ident $choice:ident $counter:ident) => {
        const _: () = {
    #[unsafe(export_name = $name)]
            #[rustfmt::skip]
            unsafe extern "C" fn function(
                a: usize, b: usize, c: usize, d: usize, e: usize,
                f: usize, g: usize, h: usize, i: usize, j: usize,
            ) -> c_int {
                static FOUND: AtomicU64 = AtomicU64::new(0);
                const FAMILY: Family = Family {
                    direction: $direction,
                    class: Class::$class,
                    choice: Choice::$choice,
                    counter: var::$counter,
                };
                // SAFETY: words are passed on as they are.
                match unsafe { name::find(&FOUND, concat!($name, "\0")) } {
                    Some(real) => transfer(real, FAMILY, [a, b, c, d, e, f, g, h, i, j]),
                    None => crate::real::missing(),
                }
            }
        };
    };
}

/// Exports families of functions.
macro_rules! families {
    ($($types:tt { $($verb:literal $points:literal $end:literal: $($family:ident)*;)* })*) => {$($(
        families! { @ $types $verb $points $end: $($family)* }
    )*)*};
    (@ [$($type:literal)*] $verb:literal $points:literal $end:literal:
       $direction:ident $class:ident $choice:ident $counter:ident) => {$(
        export! {
            concat!("ncmpi_", $verb, "_var", $points, $type, $end),
            $direction $class $choice $counter
        }
    )*};
}

ioglass_recorder::pnetcdf_families!(families);
