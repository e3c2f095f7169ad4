"""Where one value of a program names GPU machines, and what it says beside the name: their number.

Every text is read, at any depth and in JSON, YAML, base64 and gzip inside of a text, except labels, selectors of
running machines, exclusions, and text for people. Alternatives of one group of machines, such as a list of machine
types, are one place. Requirements that only a machine with GPUs meets name it too.
"""

from __future__ import annotations

import functools
import json
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gpucluster.core.catalog.gpu_names import About, GpuName, may_name, names_in
from gpucluster.core.program.resources import UNKNOWN, Unknown
from gpucluster.core.program.values import at, is_list, is_object, known_items, parsed, text, whole
from gpucluster.core.text.yaml_text import BadYaml, documents

Number = int | Unknown | None


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Of machines; None if not given."""

    floor: Number = None
    count: Number = None
    ceiling: Number = None

    @property
    def given(self) -> bool:
        return (self.floor, self.count, self.ceiling) != (None, None, None)

    @property
    def most(self) -> Number:
        return _largest([self.floor, self.count, self.ceiling])


_NONE: Final = Numbers()


@dataclass(kw_only=True)
class Place:
    """names: the most powerful first. path: of the first. gpus: of one machine, 0 if unknown."""

    names: list[GpuName]
    path: str
    numbers: Numbers = field(default_factory=Numbers)
    gpus: int = 0


def places(value: Any) -> Iterator[Place]:
    """The places of a value, in its order."""
    groups: dict[int, _Named] = {}
    for one in _walk(value, "", (), typed=False):
        holder = next((id(of) for _, of in one.around if numbers_of(of).given), 0)
        kept = groups.setdefault(holder, one)
        if kept is not one:
            kept.names += one.names
    for one in groups.values():
        yield _place(one)


def texts(value: Any) -> Iterator[str]:
    """Every text in a value that is read, and the keys that may be names themselves or require GPUs."""
    left = [value]
    while left:
        one = left.pop()
        if type(one) is str:
            yield _decoded(one)
        elif is_object(one):
            left += [of for key, of in one.items() if _read(key)]
            yield from filter(_telling, one)
        elif is_list(one):
            left += one


def numbers_of(value: Any) -> Numbers:
    """The numbers of machines among the members of an object, else of its members about scaling."""
    if not is_object(value):
        return _NONE
    if (own := _stated(value)).given:
        return own
    scaling = (one for key, of in value.items() if _scales(key) for one in (of if is_list(of) else (of,)))
    return next((found for one in scaling if (found := numbers_of(one)).given), _NONE)


def _stated(members: Mapping[str, Any]) -> Numbers:
    found: dict[str, list[Number]] = {}
    for key in members:
        if (kind := _kind(key)) and (number := whole(members, key)) is not None:
            found.setdefault(kind, []).append(number)
    return Numbers(**{kind: _largest(numbers) for kind, numbers in found.items()}) if found else _NONE


def _largest(numbers: Sequence[Number]) -> Number:
    return UNKNOWN if UNKNOWN in numbers else max((one for one in numbers if isinstance(one, int)), default=None)


_NOT_READ: Final = re.compile(
    r"(?i)\w*labels|\w*tags(?:all)?|tagspecifications|\w*annotations|nodeselector\w*|(?:node|pod)?(?:anti)?affinity"
    r"|tolerations|match(?:expressions|fields)|topologyspreadconstraints|description|comments?|displayname|message|__\w+"
    r"|exclude\w*|denied\w*|imagereference|identifier"
)
_OTHER_NAME: Final = re.compile(
    r"(?i)(?!.*(?:type|size|sku|machine|accelerator|shape|flavou?r|plan))"
    r".*(?:name|nameprefix|image|role|arn|bucket|path|key|project|.profile|ids?)"
)
"""Keys of the names of other things; only Azure's names of sizes cannot be one, and are often under `name`."""
_ABOUT_MACHINES: Final = re.compile(r"(?i)instance|machine|famil|node|vm|gpu|accel|sku|flavou?r|size")
_ABOUT_FAMILIES: Final = re.compile(r"(?i)instance|machine|famil|node|vm")
"""`P2` is a size of Azure's App Service, too."""
_KIND_OF: Final = re.compile(
    r"(?i)(?!ami|os|.*(?:image|disk|volume|storage)).*(?:types?|typename|shape|plan|famil\w+|flavou?r(?:name)?|sku|size"
    r"|class|tier|platform|accelerator\w*|gpu)|profile|experiments"
)
"""Keys of kinds of machines, and of many other things."""
_ANY_GPU: Final = re.compile(r"(?i)accelerator_?(?:manufacturers|types)")
"""Keys of requirements that any GPU machine meets."""
_GPU_MACHINES: Final = GpuName("GPU machines", "GPU machines", None)
_LEAST: Final = re.compile(r"(?i)accelerator_?(?:count|total_?memory\w*|memory\w*|support)")
_KINDS_LEAST: Final = re.compile(r"(?i)accelerator_?(?:manufacturers|types|names)")
_REQUIRED: Final = re.compile(r"[\w.]+/(?:instance|sku)-gpu-(?!name)\w+")
_SERIES: Final = {"instance-category": re.compile(r"[pg]"), "sku-family": re.compile(r"(?i)n[cdvg]?")}
"""Requirements of Karpenter -> their values for machines with GPUs."""
_REFUSING: Final = ("NotIn", "DoesNotExist", "Lt", "Lte")
_GPUS: Final = re.compile(r"(?i).*(?:accelerat|gpu).*")
_SCALING: Final = re.compile(r"(?i)scal|capacity|sku|size$|priorityprofile")
_ENDS: Final = (
    r"(?:size|count|nodes|workers|(?:node|instance|worker|machine|vm|server)count|capacity|instances|replicas)?"
)
_NUMBERS: Final = {
    "floor": re.compile(rf"(?i)(?:total)?min(?:imum)?{_ENDS}"),
    "count": re.compile(
        r"(?i)desired(?:size|capacity|count|number|nodes|instances)?|(?:initial|fixed|static)?(?:node|instance|machine|vm|replica|worker|server)s?count"
        r"|count|capacity|(?:total)?target\w*(?:size|capacity|nodes|count)|replicas|parallelism|instances|nodes|quantity"
        r"|num(?:berof)?(?:nodes|workers|instances)"
    ),
    "ceiling": re.compile(rf"(?i)(?:total)?max(?:imum)?{_ENDS}|resizeby"),
}
_IN_TEXT: Final = re.compile(
    r"(?i)(?:count|nodes|num[-_]?nodes|size|capacity|replicas|instances)(?:-m(?:ax|in))?[\"']?[\s:=]+[\"']?(\d+)"
)


@functools.cache
def _read(key: str) -> bool:
    return _NOT_READ.fullmatch(key) is None


@functools.cache
def _kind(key: str) -> str:
    """Which number of machines a key has; empty for another key."""
    plain = key.replace("_", "").replace("-", "")
    return next((kind for kind, keys in _NUMBERS.items() if keys.fullmatch(plain)), "")


@functools.cache
def _scales(key: str) -> bool:
    return _SCALING.search(key) is not None


@functools.cache
def _telling(key: str) -> bool:
    """Whether a key may be the name of a machine, or require GPUs by itself."""
    return _LEAST.fullmatch(key) is not None or (not key.isidentifier() and _machine_key(key) != ())


def _machine_key(key: str) -> Sequence[GpuName]:
    return [name for name in names_in(key, About.NOTHING) if name.text == key and name.machine]


@functools.lru_cache(maxsize=4096)
def _may_name(text: str) -> bool:
    return may_name((_decoded(text),))


_BASE64: Final = re.compile(r"[A-Za-z0-9+/\s]{24,}={0,2}\s*")
_MOST: Final = 1_000_000
"""Bytes of an unpacked text: more than any machine reads at its start."""
_COMMENT: Final = re.compile(r"(?m)^\s*(?:#|//).*")


def _decoded(value: str) -> str:
    """A text that may be in base64, and packed, as user data is."""
    if len(value) < 24 or not _BASE64.fullmatch(value):
        return value
    try:
        data = b64decode(value)
        if data.startswith(b"\x1f\x8b"):
            data = zlib.decompressobj(wbits=31).decompress(data, _MOST)
        return data.decode()
    except (ValueError, zlib.error):
        return value


@functools.lru_cache(maxsize=256)
def _opened(value: str) -> Any:
    """The object or list that a text is, in JSON or YAML; else the text without its comments."""
    given = _decoded(value)
    if given.lstrip()[:1] in ("{", "["):
        found = parsed(given)
        return found if is_object(found) or is_list(found) else given
    if "\n" not in given.strip():
        return _COMMENT.sub("", given)
    try:
        read: list[Any] = json.loads(json.dumps(documents(given), default=str))  # keys are texts, as in JSON
    except (BadYaml, TypeError, ValueError):
        read = []
    return read if any(is_object(one) or is_list(one) for one in read) else _COMMENT.sub("", given)


_Around = tuple[tuple[str, Any], ...]
"""The objects around a value with their keys, the innermost first."""


@dataclass(kw_only=True)
class _Named:
    names: list[GpuName]
    path: str
    around: _Around
    document: str


def _walk(value: Any, path: str, around: _Around, *, typed: bool) -> Iterator[_Named]:
    """typed: whether a machine type beside or around it says which GPUs they are."""
    key = path.rpartition(".")[2]
    if is_object(value):
        if at(value, "operator") in _REFUSING:
            return
        here = ((key, value), *around)
        read = [(name, of) for name, of in value.items() if _read(name)]
        typed = typed or any(found.machine for name, of in read for found in _names(name, of, here))
        for name, of in read:
            inside = f"{path}.{name}".lstrip(".")
            if _telling(name) and (named := _machine_key(name)):
                counted = {"count": of} if whole({"": of}, "") is not None else of
                yield _Named(names=[*named], path=inside, around=((name, counted), *here), document="")
            if not isinstance(of, str) or _may_name(of):
                yield from _walk(of, inside, here, typed=typed)
        if _requires_gpus(value):
            yield _Named(names=[_GPU_MACHINES], path=path, around=here, document="")
    elif is_list(value):
        for of in value:
            yield from _walk(of, path, around, typed=typed)
    elif isinstance(value, str) and value:
        opened = _opened(value)
        if not isinstance(opened, str):
            yield from _walk(opened, path, around, typed=typed)
        elif names := [name for name in _names(key, opened, around) if name.machine or not typed]:
            yield _Named(names=names, path=path, around=around, document=opened if " " in opened else "")


def _requires_gpus(value: Mapping[str, Any]) -> bool:
    """Whether requirements of machines mean GPUs, or may, and name none: by attributes, or in a pool of Karpenter."""
    if at(value, "template") is not None and whole(value, "limits", "nvidia.com/gpu") not in (None, 0):
        return True
    if isinstance(asked := text(value, "key"), str):
        values = [one for one in known_items(value, "values") if isinstance(one, str)]
        series = _SERIES.get(asked.rpartition("/")[2])
        if series is not None:
            return any(map(series.fullmatch, values))
        return _REQUIRED.fullmatch(asked) is not None and (values != ["0"] or at(value, "operator") in ("Gt", "NotIn"))
    return not any(map(_KINDS_LEAST.fullmatch, value)) and any(
        of == "Required" or whole(of, "min") not in (None, 0) for key, of in value.items() if _LEAST.fullmatch(key)
    )


def _names(key: str, value: Any, around: _Around) -> Sequence[GpuName]:
    if not isinstance(value, str) or not _may_name(value):
        return ()
    # A requirement of Karpenter has the property that it is about as the value of `key`.
    keys = (key, *(name for name, _ in around[:2]), str(at(around[0][1], "key")) if around else "")
    gpus = any(map(_GPUS.fullmatch, keys))
    other = _OTHER_NAME.fullmatch(key) is not None and not gpus
    if _ANY_GPU.fullmatch(key) and value.lower() in ("nvidia", "amd", "gpu"):
        return [_GPU_MACHINES]
    about = About.NOTHING
    if not other:
        about |= About.MACHINES if any(map(_ABOUT_MACHINES.search, keys)) else About.NOTHING
        about |= About.FAMILIES if any(map(_ABOUT_FAMILIES.search, keys)) else About.NOTHING
        about |= About.KINDS if gpus or _KIND_OF.fullmatch(key) else About.NOTHING
        about |= About.GPUS if gpus else About.NOTHING
    found = names_in(value, about)
    return [name for name in found if not other or name.cloud == "azure"]


def _place(one: _Named) -> Place:
    known = [name for name in one.names if name != _GPU_MACHINES] or one.names
    names = sorted({name.text: name for name in known}.values(), key=lambda name: (-name.gpus, not name.machine))
    first, gpus, numbers = names[0], names[0].gpus, Numbers()
    objects = [of for _, of in one.around]
    for of in objects:
        found = numbers_of(of)
        if not first.machine and not gpus:  # of the GPUs in each machine, or of all
            each = next((n for key in ("count", "acceleratorCount", "gpuCount") if (n := whole(of, key))), None)
            gpus = each if isinstance(each, int) else 1 if found.given else 0
            found = Numbers() if each is not None else found
        if found.given:
            numbers = found
            break
    if one.document and not numbers.given:
        stated = [int(number) for number in _IN_TEXT.findall(one.document)]
        numbers = Numbers(count=max(stated, default=None))
    if numbers.ceiling is None:
        limit = next((most for of in objects if (most := _limit(of, first, gpus)) is not None), None)
        numbers = Numbers(floor=numbers.floor, count=numbers.count, ceiling=limit)
    return Place(names=names, path=one.path, numbers=numbers, gpus=gpus)


def _limit(of: Any, name: GpuName, gpus: int) -> Number:
    """Machines within a limit of GPUs or vCPUs: Karpenter's `limits`, Batch's `maxVcpus`."""
    for number, each in (
        (whole(of, "limits", "nvidia.com/gpu"), gpus),
        (whole(of, "limits", "cpu"), name.vcpus),
        (whole(of, "maxVcpus"), name.vcpus),
    ):
        if number is not None:
            return -(-number // each) if isinstance(number, int) and each else UNKNOWN
    return None
