! The whole array in one statement, not one statement for each element; unit as it is open now.
write (unit) buf
