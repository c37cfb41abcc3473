! The whole array in one statement, not one statement for each element.
open (newunit=unit, file={path}, access='stream', form='unformatted', status='old')
read (unit) buf
close (unit)
