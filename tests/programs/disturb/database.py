"""sqlite3: journals, locks, rollbacks, a second connection, write-ahead logs."""

import sqlite3

for mode in ("delete", "wal", "memory"):
    base = sqlite3.connect(f"{mode}.db")
    print(base.execute(f"pragma journal_mode = {mode}").fetchone())
    base.execute("create table numbers (n integer primary key, square integer)")
    with base:
        base.executemany("insert into numbers values (?, ?)", ((n, n * n) for n in range(5000)))
    try:
        with base:
            base.execute("delete from numbers")
            base.execute("insert into nowhere values (1)")
    except sqlite3.OperationalError as problem:
        print(problem)
    other = sqlite3.connect(f"{mode}.db", timeout=0.1)
    base.execute("begin exclusive")
    try:
        other.execute("insert into numbers values (-1, 1)")
    except sqlite3.OperationalError as problem:
        print(problem)
    base.rollback()
    print(other.execute("select count(*), sum(square) from numbers").fetchone())
    other.close()
    base.execute("vacuum")
    print(base.execute("pragma integrity_check").fetchone())
    base.close()
    # Counters inside a database file vary with nothing but what was done.
    with open(f"{mode}.db", "rb") as file:
        print(len(file.read()))
