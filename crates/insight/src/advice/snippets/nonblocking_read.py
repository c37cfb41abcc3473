reading = fh.Iread_at(offset, next_buf)
compute_with(buf)
reading.Wait()  # now next_buf can be used
