node = comm.Split_type(MPI.COMM_TYPE_SHARED)
parts = np.empty((node.size, *buf.shape), buf.dtype) if node.rank == 0 else None
node.Gather(buf, parts, root=0)
if node.rank == 0:  # one writer per node, a file each
    parts.tofile(path + "." + str(rank))
node.Free()
