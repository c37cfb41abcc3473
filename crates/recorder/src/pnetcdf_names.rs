//! The functions of PnetCDF that read and write. There are 550 of them.

/// Passes all families of functions to a macro, first those with all types of buffers, then those
/// that an MPI datatype describes.
///
/// A name is `ncmpi_`, a verb, `_var`, a letter for the choice of points, a type, and an ending.
/// The direction, the mode, the choice of points, and the counter follow.
#[macro_export]
macro_rules! pnetcdf_families {
    ($with:ident) => {
        $with! {
            [
                "" "_text" "_schar" "_uchar" "_short" "_ushort" "_int" "_uint" "_long" "_float"
                "_double" "_longlong" "_ulonglong"
            ] {
            "get" "" "": Read Independent All GET_VAR;
            "get" "1" "": Read Independent One GET_VAR1;
            "get" "a" "": Read Independent Block GET_VARA;
            "get" "s" "": Read Independent Strided GET_VARS;
            "get" "m" "": Read Independent Strided GET_VARM;
            "get" "n" "": Read Independent Several GET_VARN;
            "get" "" "_all": Read Collective All GET_VAR;
            "get" "1" "_all": Read Collective One GET_VAR1;
            "get" "a" "_all": Read Collective Block GET_VARA;
            "get" "s" "_all": Read Collective Strided GET_VARS;
            "get" "m" "_all": Read Collective Strided GET_VARM;
            "get" "n" "_all": Read Collective Several GET_VARN;
            "put" "" "": Write Independent All PUT_VAR;
            "put" "1" "": Write Independent One PUT_VAR1;
            "put" "a" "": Write Independent Block PUT_VARA;
            "put" "s" "": Write Independent Strided PUT_VARS;
            "put" "m" "": Write Independent Strided PUT_VARM;
            "put" "n" "": Write Independent Several PUT_VARN;
            "put" "" "_all": Write Collective All PUT_VAR;
            "put" "1" "_all": Write Collective One PUT_VAR1;
            "put" "a" "_all": Write Collective Block PUT_VARA;
            "put" "s" "_all": Write Collective Strided PUT_VARS;
            "put" "m" "_all": Write Collective Strided PUT_VARM;
            "put" "n" "_all": Write Collective Several PUT_VARN;
            "iget" "" "": Read NonBlocking All IGET_VAR;
            "iget" "1" "": Read NonBlocking One IGET_VAR1;
            "iget" "a" "": Read NonBlocking Block IGET_VARA;
            "iget" "s" "": Read NonBlocking Strided IGET_VARS;
            "iget" "m" "": Read NonBlocking Strided IGET_VARM;
            "iget" "n" "": Read NonBlocking Several IGET_VARN;
            "iput" "" "": Write NonBlocking All IPUT_VAR;
            "iput" "1" "": Write NonBlocking One IPUT_VAR1;
            "iput" "a" "": Write NonBlocking Block IPUT_VARA;
            "iput" "s" "": Write NonBlocking Strided IPUT_VARS;
            "iput" "m" "": Write NonBlocking Strided IPUT_VARM;
            "iput" "n" "": Write NonBlocking Several IPUT_VARN;
            "bput" "" "": Write NonBlocking All BPUT_VAR;
            "bput" "1" "": Write NonBlocking One BPUT_VAR1;
            "bput" "a" "": Write NonBlocking Block BPUT_VARA;
            "bput" "s" "": Write NonBlocking Strided BPUT_VARS;
            "bput" "m" "": Write NonBlocking Strided BPUT_VARM;
            "bput" "n" "": Write NonBlocking Several BPUT_VARN;
            }
            [""] {
            "get" "d" "": Read Independent Described GET_VARD;
            "get" "d" "_all": Read Collective Described GET_VARD;
            "put" "d" "": Write Independent Described PUT_VARD;
            "put" "d" "_all": Write Collective Described PUT_VARD;
            }
        }
    };
}

/// Lists the names of all families.
macro_rules! names {
    ($($types:tt { $($verb:literal $points:literal $end:literal: $($family:ident)*;)* })*) => {
        &[$($(names! { @ $types $verb $points $end }),*),*]
    };
    (@ [$($type:literal)*] $verb:literal $points:literal $end:literal) => {
        &[$(concat!("ncmpi_", $verb, "_var", $points, $type, $end)),*]
    };
}

const FAMILIES: &[&[&str]] = pnetcdf_families!(names);

/// All names, one after the other.
pub(crate) const NAMES: &[&str] = &{
    let mut names = [""; 550];
    let (mut family, mut count) = (0, 0);
    while family < FAMILIES.len() {
        let mut i = 0;
        while i < FAMILIES[family].len() {
            names[count] = FAMILIES[family][i];
            (i, count) = (i + 1, count + 1);
        }
        family += 1;
    }
    assert!(count == names.len());
    names
};
