connection.execute("PRAGMA cache_size = -65536")  # 64 MiB, for each connection
