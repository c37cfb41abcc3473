file.write(buf.tobytes())  # file is open in binary mode: one call, nothing to format
