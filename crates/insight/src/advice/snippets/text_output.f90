! All lines of a step in one statement; flush once per step, if someone looks on.
write (unit, '(i0, 1x, es16.9)') (i, buf(i), i = 1, size(buf))
flush (unit)
