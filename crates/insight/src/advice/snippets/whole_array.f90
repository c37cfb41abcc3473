! One statement for all, and nothing to format.
open (newunit=unit, file=path, access='stream', form='unformatted')
write (unit) buf
close (unit)
