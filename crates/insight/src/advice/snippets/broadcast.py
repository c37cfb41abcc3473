buf = np.fromfile({path}, count=count) if rank == 0 else np.empty(count)
comm.Bcast(buf, root=0)
