"""Regions of a Python program, for ioglass.

    from ioglass import region

    with region("solve"):                     # a block; r.leave() ends it early
        region.value("residual [m/s]", r)     # a number of the region, with its unit

    @region                                   # a function; also @region("name")
    def step(): ...

    for i in region.loop("step", range(100)): # each pass keeps its time
        ...

The runtime, libioglass.so, is looked for at the first call: `ioglass run` loads it, and so does
IOGLASS_REGIONS=1. Without it nothing happens. No call fails or prints.
"""

# SPDX-License-Identifier: MIT OR Apache-2.0

import functools
import inspect
from sys import _getframe

from . import _runtime

__all__ = ["region"]

_REGION, _ITERATION = 0, 1

# The functions of the runtime; None if there is none, False if nobody has looked yet.
_functions = False

# Places in the code, by name, kind, file and line. A program that makes up names has many; the last
# ones are then looked up by name.
_sites = {}
_MOST_SITES = 4096


def _find():
    global _functions
    _functions = _runtime.find()
    return _functions


def _bytes(text):
    """Any name as bytes."""
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    text = "" if text is None else str(text)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


# Names of metrics as the runtime takes them.
_metrics = {}


def _metric(name):
    """The bytes of a metric's name, and how many."""
    try:
        return _metrics[name]
    except (KeyError, TypeError):  # new, or a name without a hash
        text = _bytes(name)
        if isinstance(name, str) and len(_metrics) < _MOST_SITES:
            _metrics[name] = text, len(text)
        return text, len(text)


class _Nothing:
    """What a region, a span or an attachment is if nobody listens."""

    __slots__ = ()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        return None

    def __call__(self, function):
        return function

    def leave(self):
        """Ends the visit now."""

    def start(self):
        """Starts the span now."""
        return self

    def stop(self):
        """Ends the span now."""


_NOTHING = _Nothing()


class _Place:
    """A place in the code, with the calls that enter and leave its region."""

    __slots__ = ("name", "file", "line", "enter", "leave", "_site")

    def __init__(self, f, name, kind, file, line, is_kept):
        self.name, self.file, self.line = _bytes(name), _bytes(file) if file else None, line
        if is_kept:
            self._site, address = f.site(self.name, kind, self.file, line)
            self.enter = functools.partial(f.enter_site, address)
            self.leave = functools.partial(f.leave_site, address)
        else:
            size = len(self.name)
            self.enter = functools.partial(f.enter, self.name, size, kind, self.file, line)
            self.leave = functools.partial(f.leave, self.name, size)


def _place(f, name, kind, file, line):
    key = (name, kind, file, line)
    try:
        return _sites[key]
    except KeyError:
        is_kept = len(_sites) < _MOST_SITES
    except TypeError:  # a name without a hash
        is_kept = False
    place = _Place(f, name, kind, file, line, is_kept)
    if is_kept:
        _sites[key] = place
    return place


class _Visit:
    """A region that `with` enters and leaves, or that decorates a function."""

    __slots__ = ("_place", "_open")

    def __init__(self, place):
        self._place, self._open = place, 0

    def __enter__(self):
        self._open += 1
        self._place.enter()
        return self

    def __exit__(self, kind=None, error=None, trace=None):
        if self._open:
            self._open -= 1
            self._place.leave()

    def leave(self):
        """Ends the visit now. The second time does nothing."""
        self.__exit__()

    def __call__(self, function):
        return _decorated(_functions, function, self._place.name)


class _Span:
    """What may overlap other spans, and end in any order and in any thread."""

    __slots__ = ("_f", "_name", "_file", "_line", "_number")

    def __init__(self, f, name, file, line):
        self._f, self._name, self._number = f, _bytes(name), 0
        self._file, self._line = _bytes(file) if file else None, line

    def start(self):
        """Starts the span now."""
        self.stop()
        self._number = self._f.start(self._name, len(self._name), self._file, self._line)
        return self

    def stop(self):
        """Ends the span now. The second time does nothing."""
        number, self._number = self._number, 0
        if number:
            self._f.stop(number)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    async def __aenter__(self):
        return self.start()

    async def __aexit__(self, *_):
        self.stop()


class _Attachment:
    """While it is open, what this thread does counts below the region of the context."""

    __slots__ = ("_f", "_context")

    def __init__(self, f, context):
        self._f, self._context = f, context

    def __enter__(self):
        self._f.attach(self._context)
        return self

    def __exit__(self, *_):
        self._f.detach()


def _is_function(thing):
    """True for what a decorator may be put on."""
    return callable(thing) or hasattr(thing.__class__, "__get__")


def _decorated(f, function, name):
    """The function as a region. What can be suspended while others run is a span."""
    if isinstance(function, (classmethod, staticmethod)):
        return function.__class__(_decorated(f, function.__func__, name))
    if isinstance(function, type) or not callable(function):
        return function  # a class or a property stays what it is
    code = getattr(inspect.unwrap(function), "__code__", None)
    file, line = (code.co_filename, code.co_firstlineno) if code else ("", 0)
    if inspect.isasyncgenfunction(function):
        return _async_generator(f, function, name, file, line)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            with _Span(f, name, file, line):
                return await function(*args, **kwargs)

    elif inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with _Span(f, name, file, line):
                return (yield from function(*args, **kwargs))

    else:
        place = _place(f, name, _REGION, file, line)
        enter, leave = place.enter, place.leave

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            enter()
            try:
                return function(*args, **kwargs)
            finally:
                leave()

    return wrapper


def _async_generator(f, function, name, file, line):
    @functools.wraps(function)
    async def wrapper(*args, **kwargs):
        with _Span(f, name, file, line):
            inner = function(*args, **kwargs)
            try:
                item = await inner.__anext__()
                while True:
                    try:
                        sent = yield item
                    except GeneratorExit:
                        await inner.aclose()
                        raise
                    except BaseException as error:
                        item = await inner.athrow(error)
                    else:
                        item = await inner.asend(sent)
            except StopAsyncIteration:
                return

    return wrapper


def _passes(place, iterable):
    for item in iterable:
        place.enter()
        try:
            yield item
        finally:
            place.leave()


class _Region:
    """`region`: call it with a name, decorate with it, or use its functions."""

    __slots__ = ()

    def __call__(self, name=None):
        """A region for `with`, or a decorator: `region("solve")`, `@region`, `@region("name")`."""
        f = _functions
        if f is None and name.__class__ is str:  # the most frequent case of all
            return _NOTHING
        if f is False:
            f = _find()
        if _is_function(name):
            if not f:
                return name
            inner = getattr(name, "__func__", name)
            return _decorated(f, name, getattr(inner, "__name__", None))
        if not f:
            return _NOTHING
        caller = _getframe(1)
        return _Visit(_place(f, name, _REGION, caller.f_code.co_filename, caller.f_lineno))

    def iteration(self, name):
        """The same, keeping the time of every visit; for the body of a loop."""
        f = _functions or _functions is False and _find()
        if not f:
            return _NOTHING
        caller = _getframe(1)
        return _Visit(_place(f, name, _ITERATION, caller.f_code.co_filename, caller.f_lineno))

    def loop(self, name, iterable):
        """The items of the iterable; each pass is an iteration. Leaving the loop ends it."""
        f = _functions or _functions is False and _find()
        if not f:
            return iter(iterable)
        caller = _getframe(1)
        place = _place(f, name, _ITERATION, caller.f_code.co_filename, caller.f_lineno)
        return _passes(place, iterable)

    def span(self, name):
        """For `with` and `async with`: may overlap others, and cross `await` and threads."""
        f = _functions or _functions is False and _find()
        if not f:
            return _NOTHING
        caller = _getframe(1)
        return _Span(f, name, caller.f_code.co_filename, caller.f_lineno)

    def count(self, metric, n):
        """Adds a whole number to a metric of the innermost open region."""
        f = _functions or _functions is False and _find()
        if not f:
            return
        try:
            n = max(-(2**63), min(int(n), 2**63 - 1))
        except (TypeError, ValueError, OverflowError):
            return
        name, size = _metric(metric)
        f.count(name, size, n)

    def value(self, metric, x):
        """Notes a value there."""
        f = _functions or _functions is False and _find()
        if not f:
            return
        try:
            x = float(x)
        except (TypeError, ValueError, OverflowError):
            return
        name, size = _metric(metric)
        f.value(name, size, x)

    def tag(self, key, text):
        """Gives it a text, the same for all visits."""
        f = _functions or _functions is False and _find()
        if f:
            key, text = _bytes(key), _bytes(text)
            f.tag(key, len(key), text, len(text))

    def here(self):
        """The region this thread is in, for `attach` in another thread."""
        f = _functions or _functions is False and _find()
        return f.here() if f else 0

    def attach(self, context):
        """For `with`: what this thread does meanwhile counts below the region of the context."""
        f = _functions or _functions is False and _find()
        if not f:
            return _NOTHING
        return _Attachment(f, context if isinstance(context, int) else 0)

    def execution(self):
        """The program begins once more."""
        f = _functions or _functions is False and _find()
        if f:
            f.execution()

    def flush(self):
        """Writes the profile as it is now. Returns 0, or a number as errno has."""
        f = _functions or _functions is False and _find()
        return f.flush() if f else 0

    def snapshot(self):
        """Makes the state of this process readable from outside now."""
        f = _functions or _functions is False and _find()
        if f:
            f.snapshot()

    def profile(self, name):
        """Names the profile."""
        f = _functions or _functions is False and _find()
        if f:
            name = _bytes(name)
            f.profile(name, len(name))

    def active(self):
        """True if somebody listens."""
        f = _functions or _functions is False and _find()
        return bool(f and f.active())


region = _Region()
