with connection:  # one transaction for all rows, not one for each
    connection.executemany(statement, rows)
