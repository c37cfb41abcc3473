! ioglass.f90: regions of a Fortran 2008 program, for ioglass. Compile it with the program.
!
!     use ioglass
!     call ioglass_enter('solve')
!     call ioglass_value('residual [m/s]', r)
!     call ioglass_leave('solve')
!
! The runtime, libioglass.so, is looked for at the first call: `ioglass run` loads it, and so does
! IOGLASS_REGIONS=1. Without it a call does nothing. Names lose trailing blanks. No call fails or
! prints. With glibc before 2.34 link with -ldl. SPDX-License-Identifier: MIT OR Apache-2.0
module ioglass
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private

  public :: ioglass_site, ioglass_enter, ioglass_enter_iteration, ioglass_leave
  public :: ioglass_start, ioglass_stop, ioglass_count, ioglass_value, ioglass_tag
  public :: ioglass_here, ioglass_attach, ioglass_detach
  public :: ioglass_execution, ioglass_flush, ioglass_snapshot, ioglass_profile, ioglass_active

  ! A place in the code, as the runtime has it.
  type, bind(C) :: place
    type(c_ptr) :: name = c_null_ptr
    integer(c_int32_t) :: size = 0
    integer(c_int32_t) :: kind = 0
    type(c_ptr) :: file = c_null_ptr
    integer(c_int32_t) :: line = 0
    integer(c_int32_t) :: id = 0
  end type

  ! A place in the code, by whose handle a region is entered: its name is looked up once.
  !     type(ioglass_site), save :: s = ioglass_site('kernel')
  !     type(ioglass_site), save :: s = ioglass_site('step', iteration=.true.)
  type :: ioglass_site
    character(len=1023) :: name
    logical :: iteration = .false.
    type(place), private :: site
  end type

  ! What the runtime gives, version 1.
  type, bind(C) :: table
    integer(c_int32_t) :: size, version
    type(c_funptr) :: enter_site, leave_site, enter, leave, start, stop, count, value, tag
    type(c_funptr) :: here, attach, detach, execution, flush, snapshot, profile, active
  end type

  ! Enters a region, by name or by handle.
  interface ioglass_enter
    module procedure enter_name, enter_handle
  end interface

  ! Leaves the innermost open visit of a region; without a name, of any.
  interface ioglass_leave
    module procedure leave_name, leave_handle, leave_any
  end interface

  ! Adds to a metric of the innermost open region.
  interface ioglass_count
    module procedure count_int32, count_int64
  end interface

  ! Notes a value there.
  interface ioglass_value
    module procedure value_real32, value_real64
  end interface

  abstract interface
    subroutine site_function(site) bind(C)
      import :: place
      type(place), intent(inout) :: site
    end subroutine
    subroutine enter_function(name, size, kind, file, line) bind(C)
      import :: c_char, c_size_t, c_int32_t, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: kind, line
      type(c_ptr), value :: file
    end subroutine
    subroutine name_function(name, size) bind(C)
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: size
    end subroutine
    subroutine any_function(name, size) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: name
      integer(c_size_t), value :: size
    end subroutine
    function start_function(name, size, file, line) bind(C) result(span)
      import :: c_char, c_size_t, c_int32_t, c_int64_t, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: size
      type(c_ptr), value :: file
      integer(c_int32_t), value :: line
      integer(c_int64_t) :: span
    end function
    subroutine number_function(number) bind(C)
      import :: c_int64_t
      integer(c_int64_t), value :: number
    end subroutine
    subroutine count_function(metric, size, n) bind(C)
      import :: c_char, c_size_t, c_int64_t
      character(kind=c_char), intent(in) :: metric(*)
      integer(c_size_t), value :: size
      integer(c_int64_t), value :: n
    end subroutine
    subroutine value_function(metric, size, x) bind(C)
      import :: c_char, c_size_t, c_double
      character(kind=c_char), intent(in) :: metric(*)
      integer(c_size_t), value :: size
      real(c_double), value :: x
    end subroutine
    subroutine tag_function(key, key_size, text, text_size) bind(C)
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: key(*), text(*)
      integer(c_size_t), value :: key_size, text_size
    end subroutine
    function here_function() bind(C) result(context)
      import :: c_int64_t
      integer(c_int64_t) :: context
    end function
    subroutine plain_function() bind(C)
    end subroutine
    function int_function() bind(C) result(number)
      import :: c_int
      integer(c_int) :: number
    end function
    function regions_function(version) bind(C) result(functions)
      import :: c_int, c_ptr
      integer(c_int), value :: version
      type(c_ptr) :: functions
    end function
  end interface

  interface
    function dlopen(path, flags) bind(C) result(library)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: flags
      type(c_ptr) :: library
    end function
    function dlsym(library, name) bind(C) result(address)
      import :: c_char, c_ptr, c_funptr
      type(c_ptr), value :: library
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: address
    end function
    function getauxval(type) bind(C) result(value)
      import :: c_long
      integer(c_long), value :: type
      integer(c_long) :: value
    end function
    function errno_location() bind(C, name='__errno_location') result(place)
      import :: c_ptr
      type(c_ptr) :: place
    end function
  end interface

  integer, parameter :: unknown = 0, off = 1, on = 2
  integer, volatile :: state = unknown

  ! The functions of the runtime, if the state is on.
  procedure(site_function), pointer :: do_enter_site, do_leave_site
  procedure(enter_function), pointer :: do_enter
  procedure(name_function), pointer :: do_leave, do_profile
  procedure(any_function), pointer :: do_leave_any
  procedure(start_function), pointer :: do_start
  procedure(number_function), pointer :: do_stop, do_attach
  procedure(count_function), pointer :: do_count
  procedure(value_function), pointer :: do_value
  procedure(tag_function), pointer :: do_tag
  procedure(here_function), pointer :: do_here
  procedure(plain_function), pointer :: do_detach, do_execution, do_snapshot
  procedure(int_function), pointer :: do_flush, do_active

contains

  ! Whether nobody listens.
  logical function deaf()
    if (state == unknown) call find()
    deaf = state == off
  end function

  ! Finds the runtime. Threads that do so at the same time find the same.
  subroutine find()
    type(c_ptr) :: functions
    integer(c_int), pointer :: errno
    integer(c_int) :: before

    call c_f_pointer(errno_location(), errno)
    before = errno
    functions = find_table()
    if (c_associated(functions)) then
      call take(functions)
      state = on
    else
      state = off
    end if
    errno = before
  end subroutine

  ! The table of the runtime, or null.
  function find_table() result(functions)
    type(c_ptr) :: functions
    type(c_ptr) :: library
    type(c_funptr) :: address
    procedure(regions_function), pointer :: regions
    character(len=4096) :: path
    character(len=8) :: setting
    integer(c_long), parameter :: at_secure = 23
    integer(c_int), parameter :: rtld_now = 2
    integer :: status

    functions = c_null_ptr
    if (getauxval(at_secure) /= 0) return
    call get_environment_variable('IOGLASS_REGIONS', setting, status=status)
    if (status /= 0) setting = ''
    if (setting == '0' .or. setting == 'off') return
    ! The null pointer is RTLD_DEFAULT: all that is loaded.
    address = dlsym(c_null_ptr, 'ioglass_regions' // c_null_char)
    if (.not. c_associated(address)) then
      if (setting /= '1' .and. setting /= 'on') return
      call get_environment_variable('IOGLASS_REGION_LIB', path, status=status)
      if (status /= 0 .or. path == '') path = 'libioglass.so'
      library = dlopen(trim(path) // c_null_char, rtld_now)
      if (.not. c_associated(library)) return
      address = dlsym(library, 'ioglass_regions' // c_null_char)
      if (.not. c_associated(address)) return
    end if
    call c_f_procpointer(address, regions)
    functions = regions(1_c_int)
  end function

  subroutine take(functions)
    type(c_ptr), intent(in) :: functions
    type(table), pointer :: f

    call c_f_pointer(functions, f)
    call c_f_procpointer(f%enter_site, do_enter_site)
    call c_f_procpointer(f%leave_site, do_leave_site)
    call c_f_procpointer(f%enter, do_enter)
    call c_f_procpointer(f%leave, do_leave)
    call c_f_procpointer(f%leave, do_leave_any)
    call c_f_procpointer(f%start, do_start)
    call c_f_procpointer(f%stop, do_stop)
    call c_f_procpointer(f%count, do_count)
    call c_f_procpointer(f%value, do_value)
    call c_f_procpointer(f%tag, do_tag)
    call c_f_procpointer(f%here, do_here)
    call c_f_procpointer(f%attach, do_attach)
    call c_f_procpointer(f%detach, do_detach)
    call c_f_procpointer(f%execution, do_execution)
    call c_f_procpointer(f%flush, do_flush)
    call c_f_procpointer(f%snapshot, do_snapshot)
    call c_f_procpointer(f%profile, do_profile)
    call c_f_procpointer(f%active, do_active)
  end subroutine

  ! The bytes of a name, without trailing blanks.
  pure function size_of(name) result(size)
    character(len=*), intent(in) :: name
    integer(c_size_t) :: size
    size = int(len_trim(name), c_size_t)
  end function

  subroutine enter_name(name)
    character(len=*), intent(in) :: name
    if (deaf()) return
    call do_enter(name, size_of(name), 0_c_int32_t, c_null_ptr, 0_c_int32_t)
  end subroutine

  ! The same, keeping the time of every visit.
  subroutine ioglass_enter_iteration(name)
    character(len=*), intent(in) :: name
    if (deaf()) return
    call do_enter(name, size_of(name), 1_c_int32_t, c_null_ptr, 0_c_int32_t)
  end subroutine

  subroutine leave_name(name)
    character(len=*), intent(in) :: name
    if (deaf()) return
    call do_leave(name, size_of(name))
  end subroutine

  subroutine leave_any()
    if (deaf()) return
    call do_leave_any(c_null_ptr, 0_c_size_t)
  end subroutine

  subroutine enter_handle(site)
    type(ioglass_site), intent(inout), target :: site
    if (deaf()) return
    call prepare(site)
    call do_enter_site(site%site)
  end subroutine

  subroutine leave_handle(site)
    type(ioglass_site), intent(inout), target :: site
    if (deaf()) return
    call prepare(site)
    call do_leave_site(site%site)
  end subroutine

  ! Fills in what an initial value cannot have.
  subroutine prepare(site)
    type(ioglass_site), intent(inout), target :: site
    if (site%site%id == 0) then
      site%site%size = int(len_trim(site%name), c_int32_t)
      site%site%kind = merge(1_c_int32_t, 0_c_int32_t, site%iteration)
    end if
    site%site%name = c_loc(site%name)
  end subroutine

  ! Starts a span, which may overlap others and end in any order and in any thread; 0 is none.
  function ioglass_start(name) result(span)
    character(len=*), intent(in) :: name
    integer(int64) :: span
    span = 0
    if (deaf()) return
    span = do_start(name, size_of(name), c_null_ptr, 0_c_int32_t)
  end function

  subroutine ioglass_stop(span)
    integer(int64), intent(in) :: span
    if (deaf()) return
    if (span /= 0) call do_stop(span)
  end subroutine

  subroutine count_int32(metric, n)
    character(len=*), intent(in) :: metric
    integer(int32), intent(in) :: n
    if (deaf()) return
    call do_count(metric, size_of(metric), int(n, c_int64_t))
  end subroutine

  subroutine count_int64(metric, n)
    character(len=*), intent(in) :: metric
    integer(int64), intent(in) :: n
    if (deaf()) return
    call do_count(metric, size_of(metric), n)
  end subroutine

  subroutine value_real32(metric, x)
    character(len=*), intent(in) :: metric
    real(real32), intent(in) :: x
    if (deaf()) return
    call do_value(metric, size_of(metric), real(x, c_double))
  end subroutine

  subroutine value_real64(metric, x)
    character(len=*), intent(in) :: metric
    real(real64), intent(in) :: x
    if (deaf()) return
    call do_value(metric, size_of(metric), x)
  end subroutine

  ! Gives the innermost open region a text, the same for all visits.
  subroutine ioglass_tag(key, text)
    character(len=*), intent(in) :: key, text
    if (deaf()) return
    call do_tag(key, size_of(key), text, size_of(text))
  end subroutine

  ! The region this thread is in; another thread that attaches to it counts below it.
  function ioglass_here() result(context)
    integer(int64) :: context
    context = 0
    if (deaf()) return
    context = do_here()
  end function

  subroutine ioglass_attach(context)
    integer(int64), intent(in) :: context
    if (deaf()) return
    call do_attach(context)
  end subroutine

  subroutine ioglass_detach()
    if (deaf()) return
    call do_detach()
  end subroutine

  ! The program begins once more.
  subroutine ioglass_execution()
    if (deaf()) return
    call do_execution()
  end subroutine

  ! Writes the profile as it is now; ierr is 0, or a number as errno has.
  subroutine ioglass_flush(ierr)
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    status = 0
    if (.not. deaf()) status = do_flush()
    if (present(ierr)) ierr = int(status)
  end subroutine

  ! Makes the state of this process readable from outside now.
  subroutine ioglass_snapshot()
    if (deaf()) return
    call do_snapshot()
  end subroutine

  ! Names the profile.
  subroutine ioglass_profile(name)
    character(len=*), intent(in) :: name
    if (deaf()) return
    call do_profile(name, size_of(name))
  end subroutine

  ! Whether somebody listens.
  logical function ioglass_active()
    ioglass_active = .false.
    if (.not. deaf()) ioglass_active = do_active() /= 0
  end function

end module ioglass
