"""Reads YAML that users write, with line numbers, and describes its errors in plain words.

Versions of YAML read some plain values differently: 1:30 is 90 in YAML 1.1 and a text in YAML 1.2, 010 is 8 and 10, yes
is true and a text. An author may mean either, so each is an error, as is a repeated key. Dates are dates:
YAML 1.2 has none, but they are unambiguous.

ruamel.yaml would save 16 of the 190 code lines: it reads 1_6 and 0b1 as numbers in YAML 1.2 too, stops at the first
repeated key, does not limit aliases, and its errors need the same texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, cast

import yaml

from gpucluster.core.text.values import cut, shown_value

MOST_VALUES: Final = 20_000
"""Maximum of values in one file, including repetition by aliases: far above any file here, read in a second."""


class BadYaml(ValueError):
    """Invalid YAML; the message gives the line, its content, and the expected content."""


@dataclass(frozen=True)
class AmbiguousValue:
    """name: the field, at the start of the text. repeats: a repeated key; else a value with two readings."""

    line: int
    name: str
    text: str
    repeats: bool = False

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


@dataclass(frozen=True)
class YamlText:
    """root: the value with line numbers, None without a value. data: the same as plain values.

    faults: repeated keys, and values that versions of YAML read differently.
    """

    root: yaml.Node | None
    data: Any
    faults: tuple[AmbiguousValue, ...] = ()


def read(path: Path, *, foreign: bool = False) -> YamlText:
    """The single document in a file. Raises OSError, and BadYaml, whose message follows the file's name.

    foreign: whether another program's, to be written again: times are texts as there, and it may be ten times as long.
    """
    return parse(_text(path), foreign=foreign)


def read_all(path: Path) -> list[Any]:
    """The plain values of every document in a file; raises the same as `read`."""
    return documents(_text(path))


def documents(text: str) -> list[Any]:
    """The same of a text; raises BadYaml."""
    with _plain_errors(text):
        loader, found = _Loader(text), list[Any]()
        while loader.check_node():
            found.append(construct(cast(yaml.Node, loader.get_node())))
        return found


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        seen = error.object[error.start]
        raise BadYaml(f"line {line}: byte 0x{seen:02x} is not UTF-8; save the file as UTF-8") from None


def parse(text: str, name: str = "", *, foreign: bool = False) -> YamlText:
    """The single document in a text. name: of the field with this value, empty for a whole file. foreign: as in `read`.
    Raises BadYaml.
    """
    with _plain_errors(text):
        root = (_ForeignLoader if foreign else _Loader)(text).get_single_node()
        if root is None:
            return YamlText(None, None)
        faults = tuple(_walk(root, name, set()))  # first, since constructing a mapping merges into it
        return YamlText(root, construct(root), faults)


@contextmanager
def _plain_errors(text: str) -> Generator[None]:
    try:
        yield
    except yaml.MarkedYAMLError as error:
        raise BadYaml(_marked(error)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise BadYaml(f"line {line}: holds the control character U+{int(error.character):04X}; remove it") from None
    except RecursionError:
        raise BadYaml("is nested too deeply") from None


def construct(root: yaml.Node) -> Any:
    """The plain values of a node."""
    return _Loader("").construct_document(root)  # pyright: ignore[reportUnknownMemberType]


class _Loader(yaml.SafeLoader):
    """Gives the line of an invalid number or date, such as 2026-13-01, and refuses files that aliases expand beyond
    the maximum.
    """

    most: ClassVar = MOST_VALUES

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._values = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        before, alias = self._values, self.check_event(yaml.AliasEvent)
        event: Any = cast(Any, self).peek_event()
        node = super().compose_node(parent, index)
        self._values += self._sizes.get(id(node), 1) if alias else 1
        self._sizes.setdefault(id(node), self._values - before)
        if self._values > self.most:
            raise yaml.MarkedYAMLError(problem=f"more than {self.most:,} values", problem_mark=event.start_mark)
        if isinstance(node, yaml.ScalarNode) and (half := re.search(_HALF, node.value)):
            raise yaml.MarkedYAMLError(problem=f"half a character: U+{ord(half[0]):04X}", problem_mark=event.start_mark)
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)  # pyright: ignore[reportUnknownVariableType]
        except (ValueError, OverflowError) as error:
            seen = str(node.value)
            seen = seen if len(seen) <= 40 else f"{seen[:37]}..."
            reason = "too many digits" if "digits" in str(error) else str(error)
            raise yaml.constructor.ConstructorError(
                None, None, f"{seen} is not a value: {reason}", node.start_mark
            ) from None


class _ForeignLoader(_Loader):
    most = 10 * MOST_VALUES
    yaml_implicit_resolvers: ClassVar = {  # pyright: ignore[reportIncompatibleVariableOverride]
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


_HALF = "[\ud800-\udfff]"
"""A lone surrogate; no file can contain one, but \\ud800 in quotes is one."""
_BRACKET = r"expected ',' or '([\]}])', but got '(.+)'"
_ALIAS = r"found undefined alias '(.*)'"
_TAG = r"could not determine a constructor for the tag '(?:tag:yaml\.org,2002:)?(.*)'"


def _marked(error: yaml.MarkedYAMLError) -> str:
    problem, mark, opened = error.problem or "", error.problem_mark or error.context_mark, error.context_mark
    line = f"line {mark.line + 1}: " if mark else ""
    if "is not a value" in problem:
        return f"{line}{problem}; correct it, or put it in quotes if it is text"
    if problem.startswith("more than"):
        return f"{line}the file has {problem}, with those that aliases repeat; write fewer"
    if problem.startswith("half a character"):
        return f"{line}holds {problem}; write the whole one"
    if "'\\t'" in problem:
        return f"{line}starts with a tab; indent with spaces"
    if match := re.match(_BRACKET, problem):
        before = "" if match[2] == "<stream end>" else f" before {match[2]}"
        return f"line {opened.line + 1 if opened else 1}: the bracket is not closed{before}; add {match[1]}"
    if problem == "found unexpected end of stream" and opened:
        return f"line {opened.line + 1}: the quote is never closed; close it"
    if match := re.match(_ALIAS, problem):
        return f"{line}*{match[1]} refers to nothing; put &{match[1]} before the value it repeats, or write the value"
    if match := re.match(_TAG, problem):
        return f"{line}the tag {match[1]} means nothing here; remove it"
    if problem == "but found another document":
        return f"{line}a second document starts; keep one in a file"
    if problem == "found unhashable key":
        return f"{line}a list or mapping is where a name belongs; write the name of a field"
    if problem == "mapping values are not allowed here":
        return f"{line}a second ': ' in one value; put the value in quotes, or correct the indentation"
    if problem == "could not find expected ':'":
        return f"{line}a field without ': ' after its name; add it, and a value"
    if problem.startswith("expected <block end>"):
        return f"{line}the indentation does not fit the lines above; align it with its neighbours"
    return f"{line}not YAML: {problem or error.context}"


def _walk(node: yaml.Node, at: str, seen: set[int]) -> Iterator[AmbiguousValue]:
    """seen: an anchor may contain itself."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        names: set[str] = set()
        for key, value in node.value:
            name = f"{at}.{key.value}" if at else str(key.value)
            line = key.start_mark.line + 1
            if name in names:
                yield AmbiguousValue(line, name, f"{name} is given twice; keep one", repeats=True)
            names.add(name)
            if key.tag == f"{_TAGS}merge":
                yield AmbiguousValue(
                    line, name, f"{name} merges in YAML 1.1 and is a name in YAML 1.2; write the fields out"
                )
            elif readings := _readings(key):
                yield AmbiguousValue(line, name, f'{name}: the name {readings}; put it in quotes: "{key.value}"')
            yield from _walk(value, name, seen)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _walk(value, f"{at}[{index}]", seen)
    elif readings := _readings(node):
        write = " or ".join(dict.fromkeys(_numbers_of(node)))
        yield AmbiguousValue(
            node.start_mark.line + 1, at, f'{at} is {readings}; write {write}, or "{node.value}" for the text'
        )


_TAGS: Final = "tag:yaml.org,2002:"
_RESOLVER: Final = yaml.resolver.Resolver()
_NAN: Final = "not a number"
"""Placeholder for NaN, which is not equal to itself."""
_WORDS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), _NAN),
}
_NUMBERS: Final[tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...]] = (
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+"), lambda text: int(text[2:], 8)),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda text: int(text[2:], 16)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.(inf|Inf|INF)"), lambda text: float(text.replace(".", ""))),
)
"""With _WORDS the core schema of YAML 1.2 (section 10.3.2 of its specification); everything else is text."""


def _readings(node: yaml.Node) -> str:
    """A text about a plain value with its two readings; empty if they agree or its tag decides."""
    if not isinstance(node, yaml.ScalarNode) or node.style is not None:
        return ""
    if node.tag == f"{_TAGS}timestamp" or node.tag != _RESOLVER.resolve(yaml.ScalarNode, node.value, (True, False)):  # pyright: ignore
        return ""
    older, newer = _older(node), _newer(node.value)
    if (older, isinstance(older, bool)) == (newer, isinstance(newer, bool)):
        return ""
    return f"{node.value}, which YAML 1.1 reads as {_reading(older)} and YAML 1.2 as {_reading(newer)}"


def _older(node: yaml.ScalarNode) -> Any:
    found = construct(node)
    return _NAN if isinstance(found, float) and found != found else found


def _newer(text: str) -> Any:
    number = (read(text) for pattern, read in _NUMBERS if pattern.fullmatch(text))
    return _WORDS[text] if text in _WORDS else next(number, text)


def _numbers_of(node: yaml.Node) -> Iterator[str]:
    """Possible readings of a plain value other than text."""
    scalar = cast(yaml.ScalarNode, node)
    yield from (_reading(value) for value in (_older(scalar), _newer(scalar.value)) if not isinstance(value, str))


def _reading(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    return f"{int(value)}" if isinstance(value, float) and value.is_integer() else shown_value(value)


def shown(node: yaml.Node | None) -> str:
    """The value of a node as written in the file."""
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    if node is None or node.tag == f"{_TAGS}null":
        return "empty"
    return cut(repr(node.value) if node.tag == f"{_TAGS}str" else str(node.value))
