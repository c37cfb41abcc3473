with os.scandir(folder) as entries:  # once, not os.stat() for each name
    there = {entry.name: entry.is_dir() for entry in entries}
