// Blocks of {block} bytes, {stride} apart; offset is where the first of this rank begins.
MPI_Datatype block, blocks;
MPI_Type_contiguous({block}, MPI_BYTE, &block);
MPI_Type_commit(&block);
MPI_Type_create_resized(block, 0, {stride}, &blocks);
MPI_Type_commit(&blocks);
MPI_File_set_view(fh, offset, block, blocks, "native", MPI_INFO_NULL);
MPI_File_read_all(fh, data, nblocks, block, MPI_STATUS_IGNORE);
MPI_Type_free(&blocks);
MPI_Type_free(&block);
