if rank == 0:
    print("step", step)
