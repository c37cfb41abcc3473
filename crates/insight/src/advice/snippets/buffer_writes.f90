! The whole array in one statement, not one statement for each element.
open (newunit=unit, file=path, access='stream', form='unformatted')
write (unit) buf
close (unit)
