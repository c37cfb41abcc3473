! buf has the attribute asynchronous; with gfortran compile with -pthread.
open (newunit=unit, file=path, access='stream', form='unformatted', asynchronous='yes')
write (unit, asynchronous='yes') buf
call compute_next_step()  ! leaves buf alone
wait (unit)
close (unit)
