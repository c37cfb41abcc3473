do i = 1, steps
  write (unit) buf  ! as it is now, text or unformatted; no flush here
end do
flush (unit)        ! once, when the checkpoint is complete
