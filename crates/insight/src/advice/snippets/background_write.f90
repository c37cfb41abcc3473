! buf has the attribute asynchronous; position as now; with gfortran compile with -pthread.
open (newunit=unit, file={path}, access='stream', form='unformatted', &
      asynchronous='yes', position=position)
write (unit, asynchronous='yes') buf
call compute_next_step()  ! leaves buf alone
wait (unit)
close (unit)
