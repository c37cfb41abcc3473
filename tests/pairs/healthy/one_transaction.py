"""Inserts many rows in one transaction."""

import os
import sqlite3

SCALE = int(os.environ.get("PAIR_SCALE", "1"))
database = sqlite3.connect("orders.db")
database.execute("create table orders (number integer, item text)")
rows = ((number, f"item {number}") for number in range(400_000 // SCALE))
database.executemany("insert into orders values (?, ?)", rows)
database.commit()
