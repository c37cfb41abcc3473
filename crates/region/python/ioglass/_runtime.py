"""The functions of libioglass.so, found once."""

import os


class Functions:
    """What the runtime gives, each taking plain numbers and bytes."""

    def __init__(self, ctypes, address):
        char, size, number = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32
        long, pointer = ctypes.c_uint64, ctypes.c_void_p
        self.ctypes = ctypes
        # In the order of the table. All but flush keep Python's lock: they never wait.
        rows = [
            ("enter_site", None, pointer),
            ("leave_site", None, pointer),
            ("enter", None, char, size, number, char, number),
            ("leave", None, char, size),
            ("start", long, char, size, char, number),
            ("stop", None, long),
            ("count", None, char, size, ctypes.c_int64),
            ("value", None, char, size, ctypes.c_double),
            ("tag", None, char, size, char, size),
            ("here", long),
            ("attach", None, long),
            ("detach", None),
            ("execution", None),
            ("flush", ctypes.c_int),
            ("snapshot", None),
            ("profile", None, char, size),
            ("active", ctypes.c_int),
        ]
        # Two numbers of 32 bits are before the functions.
        table = (pointer * (1 + len(rows))).from_address(address)
        for at, (name, *types) in enumerate(rows, start=1):
            prototype = ctypes.CFUNCTYPE if name == "flush" else ctypes.PYFUNCTYPE
            setattr(self, name, prototype(*types)(table[at]))

        class Site(ctypes.Structure):
            _fields_ = [
                ("name", char),
                ("size", number),
                ("kind", number),
                ("file", char),
                ("line", number),
                ("id", number),
            ]

        self.Site = Site

    def site(self, name, kind, file, line):
        """A place in the code, for enter_site and leave_site. Whoever has it keeps it."""
        site = self.Site(name, len(name), kind, file, line, 0)
        return site, self.ctypes.addressof(site)


def find():
    """The functions of the runtime, or None if nobody listens."""
    try:
        return _find()
    except Exception:  # whatever is missing: a program must not fail for it
        return None


def _find():
    import ctypes

    loaded = ctypes.CDLL(None)
    loaded.getauxval.restype = ctypes.c_ulong
    if loaded.getauxval(ctypes.c_ulong(23)):  # AT_SECURE
        return None
    setting = os.environ.get("IOGLASS_REGIONS", "")
    if setting in ("0", "off"):
        return None
    if not hasattr(loaded, "ioglass_regions"):
        if setting not in ("1", "on"):
            return None
        loaded = ctypes.CDLL(os.environ.get("IOGLASS_REGION_LIB") or "libioglass.so")
    regions = loaded.ioglass_regions
    regions.restype = ctypes.c_void_p
    table = regions(ctypes.c_uint(1))
    return Functions(ctypes, table) if table else None
