! One statement for all, and nothing to format; unit is opened with form='unformatted'.
write (unit) buf
