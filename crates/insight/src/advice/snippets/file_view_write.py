# Blocks of {block} bytes, {stride} apart; offset is where the first of this rank begins.
block = MPI.BYTE.Create_contiguous({block}).Commit()
blocks = block.Create_resized(0, {stride}).Commit()
fh.Set_view(offset, block, blocks)
fh.Write_all([data, nblocks, block])
blocks.Free()
block.Free()
