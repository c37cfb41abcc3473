do i = 1, steps
  write (unit) buf  ! no flush here
end do
flush (unit)        ! once, when the checkpoint is complete
