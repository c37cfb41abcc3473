! The connector works in a thread of its own, so MPI must allow it.
call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr)
if (provided < MPI_THREAD_MULTIPLE) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
