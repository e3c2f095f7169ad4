"""Other values for what stands in the sandbox, and what the simulated cloud says of each.

A mutant is a resource of a stack as it was declared, with one value changed. What the cloud says is asked as the engine
does, Check and then Create, of the ledger without that resource.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import string
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from itertools import chain
from pathlib import Path
from typing import Any, Final

from gpucluster.core.text.type_guards import is_list, is_object, mapping
from gpucluster.sandbox.clouds.cloud import Account, Cloud, CloudError, Resource
from gpucluster.sandbox.clouds.outputs import after
from gpucluster.sandbox.clouds.registry import SIMULATED
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.limits import Limits
from gpucluster.sandbox.clouds.types.schema import Property, ResourceType, Schema
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from gpucluster.sandbox.clouds.types.validate import general
from gpucluster.sandbox.clouds.types.values import from_wire, plain, to_wire

__all__ = ["LEFT_OUT", "PACKAGES", "Mutant", "Stand", "Standing", "built", "others", "random_wrong", "unset", "wrong"]

ROOT: Final = Path(__file__).parents[3]
PACKAGES: Final = {"aws": "aws", "gcp": "gcp", "azure": "azure-native"}
"""Name of a cloud -> package of its provider."""

LEFT_OUT: Final = "left out"
"""Kind of a mutant without one of its inputs."""

_NOT_INPUTS: Final = frozenset(
    {"__defaults", "effectiveLabels", "pulumiLabels", "azureApiVersion", "region", "tagsAll"}
)
_OF_THE_USER: Final = frozenset({"tags", "labels", "resourceLabels", "nodeLabels", "annotations", "metadata"})
"""Maps whose keys and values are the user's own."""

_LETTERS: Final = string.ascii_letters + string.digits + "-_. /$é"


@dataclass(frozen=True, eq=False)
class Mutant:
    """urn, type, inputs: of the resource, as the engine has them; path, kind: what was changed, and how."""

    urn: str
    type: str
    inputs: Mapping[str, Any]
    path: str
    kind: str

    @property
    def what(self) -> str:
        return f"{self.type} {self.path} {self.kind}"


@dataclass(frozen=True)
class Standing:
    """A resource that stands. takes: input -> URNs of the resources whose outputs it is made of."""

    urn: str
    type: str
    inputs: Mapping[str, Any]
    takes: Mapping[str, Sequence[str]]


class Stand:
    """The resources of one cloud in a stack that stands, its provider and its ledger."""

    def __init__(self, cloud: str, state: Path, ledger: Path) -> None:
        """state: what `pulumi stack export --show-secrets` wrote. ledger: a copy, which is written to."""
        self.package = PACKAGES[cloud]
        self._cloud: Cloud = SIMULATED[self.package]()
        self._schema = Schema(installed_sdks(site_packages(None))[self.package])
        self.ledger = Ledger(ledger)
        self._entries: dict[str, list[Entry]] = {}
        for entry in self.ledger.all():
            self._entries.setdefault(entry.urn, []).append(entry)
        resources: list[dict[str, Any]] = json.loads(state.read_text())["deployment"]["resources"]
        settings = next(it for it in resources if it["type"] == f"pulumi:providers:{self.package}")["inputs"]
        self.account: Account = self._cloud.configure(settings, self.ledger)
        self.resources = [_standing(it) for it in resources if it["type"].startswith(f"{self.package}:")]

    def refusal(self, mutant: Mutant) -> str:
        """What Check or Create has against a mutant; empty where it is made."""
        with self._without(mutant.urn):
            return self._asked(mutant)

    def listed(self, token: str, path: str) -> Sequence[Any]:
        """The values that the SDK lists for an input, none where it lists none."""
        properties, of = self._type(token).inputs, None
        for name in path.split("."):
            if name.removesuffix("[]") not in properties:
                return ()
            of = _inside(properties[name.removesuffix("[]")].type)
            properties = self._members(token, of)
        return _values_of(of)

    def optional(self, standing: Standing) -> Iterator[tuple[tuple[str | int, ...], Property, Any]]:
        """Every input that may be left out, with its type and its value, None where it has none; in the objects that
        are there, and of a list in the first. No name, which is made of the logical one where it lacks."""
        yield from self._optional(standing.type, standing.inputs, self._type(standing.type).inputs, ())

    def _optional(
        self, token: str, given: Mapping[str, Any], properties: Mapping[str, Property], path: tuple[str | int, ...]
    ) -> Iterator[tuple[tuple[str | int, ...], Property, Any]]:
        for name, prop in properties.items():
            inside, at = given.get(name), (*path, name)
            if not prop.required and not name.endswith("Name"):
                yield at, prop, inside
            if is_list(inside) and inside:
                inside, at = inside[0], (*at, 0)
            if is_object(inside):
                yield from self._optional(token, inside, self._members(token, _inside(prop.type)), at)

    def _members(self, token: str, of: Any) -> Mapping[str, Property]:
        """The inputs of an object by its type, none for what is no object."""
        return self._type(token).types[of["ref"]] if "ref" in mapping(of) else {}

    def _type(self, token: str) -> ResourceType:
        found = self._cloud.resource_type(self._schema, token)
        assert found is not None, token
        return found

    def check(self, mutant: Mutant) -> str:
        """What Check has against a mutant: its values alone, and not what it stands beside."""
        found = self.account.failures(self._resource(mutant))
        return "; ".join(f"{failure.path}: {failure.reason}" for failure in found)

    def _asked(self, mutant: Mutant) -> str:
        refused = self.check(mutant)
        if refused:
            return refused
        asked = self._resource(mutant)
        asked = replace(asked, inputs=self.account.defaults(asked, b"seed"))
        try:
            self.account.known(asked)
            after(asked, self.account.create(asked).outputs)
        except CloudError as error:
            return str(error)
        return ""

    def _resource(self, mutant: Mutant) -> Resource:
        return Resource(urn=mutant.urn, type=self._type(mutant.type), inputs=from_wire(mutant.inputs))

    @contextmanager
    def _without(self, urn: str) -> Generator[None]:
        found = self._entries.get(urn, [])
        for entry in found:
            self.ledger.remove(entry.provider, entry.scope, entry.type, entry.id)
        try:
            yield
        finally:
            for entry in found:
                self.ledger.put(entry)


def built(cloud: str, folder: Path) -> Stand:
    """The trial of a cloud, built in a sandbox of its own in this folder."""
    for name in ("stacks", "policies"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    _pulumi(folder, "up", "--yes", "--skip-preview", stack=f"{cloud}-trial")
    state = folder / "state.json"
    state.write_text(_pulumi(folder, "stack", "export", "--show-secrets", stack=f"{cloud}-trial"))
    return Stand(cloud, state, folder / ".sandbox" / "clouds.sqlite3")


def _pulumi(folder: Path, *words: str, stack: str) -> str:
    command = [str(Path(sys.executable).parent / "gpucluster"), "sandbox", "pulumi", *words, "--stack", stack]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def wrong(stand: Stand) -> Iterator[Mutant]:
    """Every scalar of every type once: a word, 300 characters and nothing for a text, -7 and 10^8 for a number, "maybe"
    for a truth value."""
    for standing, path, value in _scalars(stand):
        for kind, other in _wrong_values(value):
            yield _mutant(standing, path, other, kind)


def random_wrong(stand: Stand, seed: int, count: int) -> Iterator[Mutant]:
    """As many mutants that are likely wrong: letters put in, left out or changed, and numbers far away."""
    chance = random.Random(seed)
    places = list(_scalars(stand))
    for _ in range(count):
        standing, path, value = chance.choice(places)
        other = _disturbed(chance, value)
        yield _mutant(standing, path, other, f"-> {str(other)[:40]!r}")


def unset(stand: Stand) -> Iterator[Mutant]:
    """What is optional: left out, and given where it lacks, as a wrong value of its type and as an object without
    members. Once for each type, in the objects that are there."""
    for standing in _first_of_each(stand):
        for path, prop, value in stand.optional(standing):
            if value is not None:
                yield _mutant(standing, path, None, LEFT_OUT)
            else:
                yield from (_mutant(standing, path, other, kind) for kind, other in _wrong_of(prop.type))


def others(stand: Stand, limits: Limits) -> Iterator[Mutant]:
    """Values that are as good: those that are listed, else other names, ranges, times, versions and numbers, truth
    values turned, what is optional given, and another tag."""
    for standing, path, value in _scalars(stand, once=False):
        at = _name(path)
        listed = [_some(limit.value) for limit in limits.of(standing.type).get(at, ()) if limit.rule == "enum"]
        listed = listed or [_some(stand.listed(standing.type, at))]
        for other in chain(*listed) if any(listed) else _as_good(str(path[-1]), value):
            if other != value:
                yield _mutant(standing, path, other, f"-> {str(other)[:40]!r}")
    for standing in _first_of_each(stand):
        for path, prop, value in stand.optional(standing):
            for other in (
                _some([True, False] if prop.type == "bool" else _values_of(prop.type)) if value is None else ()
            ):
                yield _mutant(standing, path, other, f"given as {other!r}")
            if value is not None and path[-1] in ("tags", "labels", "resourceLabels"):
                yield _mutant(standing, path, {**value, "another": "value"}, "one more")


def _first_of_each(stand: Stand) -> Iterable[Standing]:
    return {standing.type: standing for standing in reversed(stand.resources)}.values()


def _wrong_of(of: Any) -> Sequence[tuple[str, Any]]:
    """Wrong values of a type."""
    match of:
        case "str":
            return _wrong_values("")
        case "int" | "float":
            return _wrong_values(0)
        case {"list": inner}:
            return [("no items", []), *((f"one {kind}", [value]) for kind, value in _wrong_of(inner))]
        case {"map": _}:
            return [("long key", {"k" * 300: "v"}), ("long value", {"k": "v" * 300}), ("no key", {"": "v"})]
        case {"ref": _}:
            return [("no members", {})]
        case _:
            return []


def _standing(raw: Mapping[str, Any]) -> Standing:
    inputs = {name: value for name, value in raw["inputs"].items() if name not in _NOT_INPUTS}
    takes = raw.get("propertyDependencies") or {}
    return Standing(raw["urn"], raw["type"], to_wire(plain(from_wire(_shown(inputs)))), takes)


def _shown(value: Any) -> Any:
    """A value with its secrets in plain text, as `--show-secrets` writes them: JSON inside."""
    if is_object(value):
        return (
            json.loads(value["plaintext"]) if "plaintext" in value else {key: _shown(it) for key, it in value.items()}
        )
    return [_shown(item) for item in value] if is_list(value) else value


def _scalars(stand: Stand, *, once: bool = True) -> Iterator[tuple[Standing, tuple[str | int, ...], Any]]:
    """Every scalar input, each path of a type once, or once for each value that it has."""
    seen: set[tuple[str, str, Any]] = set()
    for standing in stand.resources:
        for path, value in _leaves(standing.inputs):
            key = (standing.type, _name(path), None if once else value)
            if not _OF_THE_USER.intersection(path) and key not in seen:
                seen.add(key)
                yield standing, path, value


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    inside = value.items() if is_object(value) else enumerate(value) if is_list(value) else None
    if inside is None:
        yield path, value
    else:
        for key, item in inside:
            yield from _leaves(item, (*path, key))


def _mutant(standing: Standing, path: tuple[str | int, ...], value: Any, kind: str) -> Mutant:
    return Mutant(standing.urn, standing.type, _put(standing.inputs, path, value), _written(path), kind)


def _put(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    if not path:
        return new
    if is_list(value):
        return [_put(item, path[1:], new) if at == path[0] else item for at, item in enumerate(value)]
    changed = {**value, path[0]: _put(value.get(path[0], {}), path[1:], new)}
    return {key: item for key, item in changed.items() if item is not None}


def _written(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def _name(path: tuple[str | int, ...]) -> str:
    return general(_written(path))


def _wrong_values(value: Any) -> Sequence[tuple[str, Any]]:
    if isinstance(value, bool):
        return [("word", "maybe")]
    if isinstance(value, int | float):
        return [("negative", -7), ("huge", 10**8)]
    return [("word", "Bogus-Value"), ("long", "x" * 300), ("empty", "")]


def _disturbed(chance: random.Random, value: Any) -> Any:
    if isinstance(value, bool):
        return chance.choice(["maybe", "yes", "0", -1])
    if isinstance(value, int | float):
        return chance.choice([-1, -chance.randint(2, 10**9), chance.randint(10**6, 2**31), "many"])
    text, at = str(value), chance.randrange(len(str(value)) + 1)
    return chance.choice(
        [
            text[:at] + chance.choice(_LETTERS) + text[at:],
            text[:at] + text[at + 1 :],
            text.swapcase(),
            text * chance.randint(2, 40),
            " ",
            "".join(chance.choices(_LETTERS, k=chance.randint(1, 30))),
        ]
    )


def _inside(of: Any) -> Any:
    """The type of the items of a list, or of lists of lists."""
    while "list" in mapping(of):
        of = of["list"]
    return of


def _values_of(of: Any) -> Sequence[Any]:
    """The values that a type lists; of a list that it takes, one of each."""
    if "list" in mapping(of):
        return [[value] for value in _values_of(of["list"])]
    return [value for one in [of, *mapping(of).get("union", ())] for value in mapping(one).get("enum", ())]


def _some(values: Sequence[Any]) -> Sequence[Any]:
    """The values of an enumeration, some thirty of a long one."""
    return [value for value in values[:: max(len(values) // 30, 1)] if value != ""]


def _as_good(name: str, value: Any) -> Sequence[Any]:
    """Other values of the same kind. name: of the input, which tells free text from other text."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value + 2]
    if isinstance(value, float):
        return [value / 2, value / 4]
    if value in ("true", "false"):
        return ["false" if value == "true" else "true"]
    if name in _NAMES:
        return [f"{value[:-1]}{end}" for end in "0a5"] if value else []
    return [changed for pattern, change in _SHAPES if pattern.fullmatch(value) for changed in change(value)]


def _next_networks(text: str) -> Sequence[str]:
    network = ip_network(text)
    step = network.num_addresses
    return [f"{network.network_address + at * step}/{network.prefixlen}" for at in (1, 2, 5)] if step < 2**32 else []


_NAMES: Final = frozenset(
    {"alias", "comment", "description", "displayName", "exclusionName", "name", "nodeGroupName", "title", "instanceId"}
)
"""Inputs that hold text of the user's own."""

_SHAPES: Final[Sequence[tuple[re.Pattern[str], Callable[[str], Sequence[str]]]]] = (
    (re.compile(r"\d+(\.\d+){3}/\d+"), _next_networks),
    (re.compile(r"\d+(\.\d+){3}"), lambda text: [str(ip_address(text) + at) for at in (1, 2)]),
    (re.compile(r"\d\d:\d\d"), lambda _: ["00:00", "12:00", "23:00"]),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z"), lambda _: ["2027-02-28T23:59:59Z", "2026-07-01T12:00:00+02:00"]),
    (re.compile(r"PT\d+M"), lambda _: ["PT5M", "PT15M", "PT1H"]),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), lambda text: [f"{text[:-1]}{end}" for end in "07a"]),
    (re.compile(r"\d+%"), lambda _: ["10%", "100%"]),
    (re.compile(r"1\.\d\d"), lambda _: ["1.33", "1.34"]),
    (re.compile(r"eastus"), lambda _: ["westeurope", "East US 2", "uaecentral", "usgovvirginia"]),
    (re.compile(r"\d+s"), lambda text: [f"{int(text[:-1]) + at}s" for at in (1, 86400)]),
    (re.compile(r"arn:aws:iam::\d+:role/.*"), lambda _: ["arn:aws-us-gov:iam::123456789012:role/path/of/another"]),
    (
        re.compile(r"(vpc|subnet|sg|rtb|igw|nat|eipalloc|lt|fs)-[0-9a-f]+"),
        lambda text: [f"{text.split('-')[0]}-{'0a' * 8}1"],
    ),
)
"""Text that has the form of something -> others of the same form."""
