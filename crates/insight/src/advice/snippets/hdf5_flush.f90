call h5fflush_f(file, H5F_SCOPE_GLOBAL_F, ierr)  ! once, when the checkpoint is complete
