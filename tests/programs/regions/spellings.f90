! Every spelling of ioglass.f90; `calls:` below has what the runtime is told.
program main
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: iso_c_binding, only: c_int
  use ioglass
  implicit none
  interface
    subroutine leave_program(status) bind(C, name='exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine
  end interface
  type(ioglass_site), save :: s = ioglass_site('kernel')
  type(ioglass_site), save :: pass = ioglass_site('pass', iteration=.true.)
  integer :: i, ierr
  integer(int64) :: c, n, span
  character(len=20) :: name

  call ioglass_enter('main  ')
  name = 'made here'
  call ioglass_enter(name); call ioglass_leave(name)
  do i = 1, 2
    call ioglass_enter_iteration('step')
    call ioglass_enter(s);  call ioglass_leave(s)
    call ioglass_leave('step')
  end do
  call ioglass_enter(pass)
  call ioglass_leave()
  call ioglass_enter(' ')
  call ioglass_leave('')
  n = 2_int64**40
  call ioglass_count('cells', 3)
  call ioglass_count('cells', n)
  call ioglass_value('residual [m/s]', 0.5)
  call ioglass_value('residual [m/s]', 0.25_real64)
  call ioglass_tag('kind', 'io')
  span = ioglass_start('fetch')
  call ioglass_stop(span)
  call ioglass_stop(0_int64)
  c = ioglass_here()
  call ioglass_attach(c)
  call ioglass_detach()
  call ioglass_execution()
  call ioglass_snapshot()
  call ioglass_profile('name')
  call ioglass_flush()
  call ioglass_flush(ierr)
  if (.not. ioglass_active()) ierr = 3
  call ioglass_leave('main')
  call leave_program(int(ierr, c_int))
end program

! calls:
! 0 regions 1
! 0 enter "main" region -
! 0 enter "made here" region -
! 0 leave "made here"
! 0 enter "step" iteration -
! 0 enter_site "kernel" region -
! 0 leave_site "kernel"
! 0 leave "step"
! 0 enter "step" iteration -
! 0 enter_site "kernel" region -
! 0 leave_site "kernel"
! 0 leave "step"
! 0 enter_site "pass" iteration -
! 0 leave null
! 0 enter "" region -
! 0 leave ""
! 0 count "cells" 3
! 0 count "cells" 1099511627776
! 0 value "residual [m/s]" 0.5
! 0 value "residual [m/s]" 0.25
! 0 tag "kind" "io"
! 0 start "fetch" - -> 1
! 0 stop 1
! 0 here -> 18446744073709551615
! 0 attach 18446744073709551615
! 0 detach
! 0 execution
! 0 snapshot
! 0 profile "name"
! 0 flush -> 0
! 0 flush -> 0
! 0 active -> 1
! 0 leave "main"
