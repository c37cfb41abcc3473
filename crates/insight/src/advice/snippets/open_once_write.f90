open (newunit=unit, file=path, access='stream', form='unformatted')  ! before the loop, not in it
do i = 1, steps
  write (unit) buf
end do
close (unit)
