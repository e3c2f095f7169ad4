"""Frozen dataclasses that load quickly.

`dataclasses` writes and compiles six methods for each class, half a millisecond: for our hundred classes that a
preview imports, a fifth of our share of it. Records have the fields of a dataclass, for `fields`, `replace` and
`asdict`, and share one set of methods. Classes with many instances then get their own `__init__`.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from functools import cache
from typing import Any, Final, TypeVar, dataclass_transform, overload

_T = TypeVar("_T")


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[_T], /) -> type[_T]: ...
@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(*, kw_only: bool) -> Callable[[type[_T]], type[_T]]: ...
def record(cls: type[_T] | None = None, /, *, kw_only: bool = False) -> type[_T] | Callable[[type[_T]], type[_T]]:
    """Like `dataclass(frozen=True)`; methods defined by the class itself are kept."""

    def made(of: type[_T]) -> type[_T]:
        own = frozenset(vars(of))
        for name, method in _METHODS.items():
            if name not in own:
                setattr(of, name, method)
        of.__dataclass_fields__ = _Fields(of, kw_only=kw_only)  # pyright: ignore[reportAttributeAccessIssue]
        return of

    return made if cls is None else made(cls)


class _Fields:
    """The fields of a record for `dataclasses`, computed on demand: a preview has no instances of many records."""

    def __init__(self, of: type, *, kw_only: bool) -> None:
        self._of = of
        self._kw_only = kw_only

    def __get__(self, _: object, __: type) -> Any:
        of: Any = self._of
        with _ONCE:
            if vars(of)["__dataclass_fields__"] is self:
                dataclass(init=False, repr=False, eq=False, kw_only=self._kw_only)(of)
        return of.__dataclass_fields__


_ONCE: Final = threading.RLock()
_MANY: Final = 500
_COUNTS: Final[Counter[type]] = Counter()

_Shape = tuple[Mapping[str, None], tuple[str, ...], Mapping[str, Any], Mapping[str, Callable[[], Any]]]


@cache
def _shape(cls: Any) -> _Shape:
    """The fields in order; the positional ones; field -> its default; field -> its default factory."""
    known = fields(cls)
    by_position = tuple(one.name for one in known if not one.kw_only)
    defaults = {one.name: one.default for one in known if one.default is not MISSING}
    made = {one.name: one.default_factory for one in known if one.default_factory is not MISSING}
    return dict.fromkeys(one.name for one in known), by_position, defaults, made


def _init(self: Any, *args: Any, **given: Any) -> None:
    names, by_position, defaults, made = _shape(self.__class__)
    positional = dict(zip(by_position, args, strict=False)) if args else {}
    values = {**defaults, **given, **positional}
    for name, make in made.items():
        if name not in values:
            values[name] = make()
    if len(args) > len(by_position) or not given.keys().isdisjoint(positional) or not values.keys() <= names.keys():
        raise TypeError(f"{type(self).__name__} takes {', '.join(names)}, each once; got {args} and {given}")
    if len(values) < len(names):
        raise TypeError(f"{type(self).__name__} lacks {', '.join(name for name in names if name not in values)}")
    # In field order, like the compiled one: texts generated from instances do not change.
    vars(self).update({name: values[name] for name in names})
    _COUNTS[self.__class__] += 1
    if _COUNTS[self.__class__] == _MANY and not made:
        self.__class__.__init__ = _compiled(self.__class__)


def _compiled(cls: Any) -> Any:
    """The same for a single class, four times as fast."""
    names, by_position, defaults, _ = _shape(cls)
    by_name = [name for name in names if name not in by_position]
    taken = [*by_position, *(["*"] if by_name else []), *by_name]
    written = ", ".join(f"{name}=defaults[{name!r}]" if name in defaults else name for name in taken)
    scope: dict[str, Any] = {"defaults": defaults, "vars": vars}
    kept = ", ".join(f"{name}={name}" for name in names)
    exec(f"def __init__(self, {written}):\n    vars(self).update({kept})", scope)
    return scope["__init__"]


def _values(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in _shape(self.__class__)[0])


def _repr(self: Any) -> str:
    pairs = zip(_shape(self.__class__)[0], _values(self), strict=True)
    return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"


def _equal(self: Any, other: Any) -> Any:
    return self is other or _values(self) == _values(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _refuse(self: Any, name: str, *value: Any) -> None:
    raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot change{f' to {value[0]!r}' if value else ''}")


_METHODS: Mapping[str, Any] = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _equal,
    "__hash__": _hash,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
}
