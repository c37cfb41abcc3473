! Before the loop that uses the file again and again.
open (newunit=unit, file={path}, access='stream', form='unformatted', status='old')
read (unit) buf
close (unit)
do i = 1, epochs
  call use_data(buf)
end do
