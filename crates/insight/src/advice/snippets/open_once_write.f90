! Opened before the loop, not in it.
open (newunit=unit, file={path}, access='stream', form='unformatted', position='append')
do i = 1, steps
  write (unit) buf
end do
close (unit)
