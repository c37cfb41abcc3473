! Opened before the loop, not in it.
open (newunit=unit, file={path}, access='stream', form='unformatted', status='old')
do i = 1, steps
  read (unit) buf
  call compute_with(buf)
end do
close (unit)
