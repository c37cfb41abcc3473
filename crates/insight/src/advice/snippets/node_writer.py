node = comm.Split_type(MPI.COMM_TYPE_SHARED)
parts = np.empty((node.size, *buf.shape), buf.dtype) if node.rank == 0 else None
node.Gather(buf, parts, root=0)
if node.rank == 0:  # one writer per node, a file each
    with open(path + "." + str(rank), mode) as file:  # mode as now
        file.write(parts.tobytes())
node.Free()
