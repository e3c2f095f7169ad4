"""Records against frozen dataclasses of the same fields."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from functools import cached_property

import pytest

from gpucluster.record import record


@record
class Point:
    x: int
    y: int = 2
    notes: list[str] = field(default_factory=list[str])

    @cached_property
    def distance(self) -> int:
        return abs(self.x) + abs(self.y)


@record(kw_only=True)
class Named(Point):
    name: str


@dataclass(frozen=True)
class Plain:
    x: int
    y: int = 2
    notes: list[str] = field(default_factory=list[str])


def test_a_record_is_made_as_a_dataclass_is() -> None:
    assert asdict(Point(1)) == asdict(Plain(1)) == {"x": 1, "y": 2, "notes": []}
    assert asdict(Point(y=4, x=3)) == asdict(Plain(y=4, x=3))
    assert asdict(Named(1, name="a")) == {"x": 1, "y": 2, "notes": [], "name": "a"}
    assert [one.name for one in fields(Point)] == [one.name for one in fields(Plain)]
    assert repr(Point(1)) == repr(Plain(1)).replace("Plain", "Point")
    assert Point(1).notes is not Point(1).notes


def test_the_fields_of_a_record_are_known_before_there_is_one() -> None:
    @record
    class Above:
        x: int
        notes: list[str] = field(default_factory=list[str])

    @record(kw_only=True)
    class Below(Above):
        y: int = 2

    class Inside(Below):
        pass

    assert dataclasses.is_dataclass(Inside)
    assert [(one.name, one.kw_only) for one in fields(Inside)] == [("x", False), ("notes", False), ("y", True)]
    with ThreadPoolExecutor(4) as threads:
        assert {*threads.map(lambda x: repr(Above(x)), [1] * 100)} == {repr(Above(1))}


@pytest.mark.parametrize(
    ("args", "given", "said"),
    [
        ((), {}, "Point lacks x"),
        ((1, 2, [], 4), {}, "Point takes x, y, notes, each once"),
        ((1,), {"x": 1}, "Point takes x, y, notes, each once"),
        ((1,), {"z": 1}, "Point takes x, y, notes, each once"),
    ],
)
def test_what_does_not_fit_its_fields_is_refused(args: tuple[object, ...], given: dict[str, object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Point(*args, **given)  # pyright: ignore[reportArgumentType]


def test_a_field_by_name_alone_is_not_taken_by_position() -> None:
    with pytest.raises(TypeError, match="Named takes x, y, notes, name, each once"):
        Named(1, 2, [], "a")  # pyright: ignore[reportCallIssue]


def test_the_thousandth_record_of_a_class_is_as_the_first() -> None:
    @record(kw_only=True)
    class Often:
        x: int
        y: int = 2

    made = [Often(x=number) for number in range(1000)]
    assert made[999] == Often(x=999, y=2)
    assert asdict(made[999]) == {"x": 999, "y": 2}
    assert [[*vars(Often(y=2, x=1))], [*vars(made[0])]] == [["x", "y"]] * 2
    assert replace(made[0], y=3) == Often(x=0, y=3)
    with pytest.raises(TypeError, match="'x'"):
        Often()  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError, match="'z'"):
        Often(x=1, z=2)  # pyright: ignore[reportCallIssue]


def test_records_of_one_class_with_equal_fields_are_equal() -> None:
    point = Point(1)
    assert point.distance == 3
    assert point == Point(1) != Point(2)
    assert point != Named(1, name="a")
    assert hash(Named(1, 2, (), name="a")) == hash(Named(1, 2, (), name="a"))  # pyright: ignore[reportArgumentType]


def test_a_record_does_not_change() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError, match=r"Point\.x cannot change to 2"):
        point.x = 2  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FrozenInstanceError, match=r"Point\.x cannot change"):
        del point.x  # pyright: ignore[reportAttributeAccessIssue]
    assert replace(point, y=5) == Point(1, 5)
    assert copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
    assert dataclasses.is_dataclass(point)


def test_methods_of_the_class_itself_stay() -> None:
    @record
    class Loud:
        x: int

        def __repr__(self) -> str:
            return f"{self.x}!"

    assert repr(Loud(1)) == "1!"
