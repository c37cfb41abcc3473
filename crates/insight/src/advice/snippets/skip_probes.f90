! No inquire before; ierr is not zero if there is no such file.
open (newunit=unit, file=path, status='old', iostat=ierr)
