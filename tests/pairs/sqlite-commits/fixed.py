"""Commits all rows together."""

import os
import sqlite3

SCALE = int(os.environ.get("PAIR_SCALE", "1"))
database = sqlite3.connect("orders.db")
database.execute("create table orders (number integer, item text)")
for number in range(300 // SCALE):
    database.execute("insert into orders values (?, ?)", (number, f"item {number}"))
database.commit()
print(database.execute("select count(*), sum(number) from orders").fetchone())
