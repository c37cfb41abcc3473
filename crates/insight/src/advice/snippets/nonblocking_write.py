writing = fh.Iwrite_at_all(offset, buf)
compute_next_step()  # leaves buf alone
writing.Wait()       # now buf can be filled again
