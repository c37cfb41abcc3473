! Many values in one statement and no flush after each; unit as it is open now.
write (unit, '(es24.16)') buf  ! if it is text
write (unit) buf               ! if it is unformatted
