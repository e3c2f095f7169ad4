"""Names of GPU machines and GPU models in any text of a program: as a whole value, or as a word of a command,
a template or a document.

A name counts whole: `train-p5.48xlarge` is the name of something else. A family such as `p5`, or a model without its
maker such as `H100`, counts only as the value of a property about machines, since many other things have such names.
So does the word GPU in the name of a kind of machine, such as `BM.GPU4.8` of a cloud that is not listed here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Flag, auto
from typing import Final

from gpucluster.core.catalog.azure_regions import size_of
from gpucluster.core.catalog.machines import machines
from gpucluster.core.catalog.racks import racks_by_machine


@dataclass(frozen=True)
class GpuName:
    """
    text: as written. machine: without prefix and in the cloud's own spelling, a family such as `p5`, a kind of machine
    of another vendor, or empty for a model. cloud: None if several clouds or other vendors use the name. gpu: display
    name, e.g. `H100`; empty if unknown here. gpus, vcpus: of one machine; 0 if unknown here.
    """

    text: str
    machine: str
    cloud: str | None
    gpu: str = ""
    gpus: int = 0
    vcpus: int = 0


class About(Flag):
    """What a property is about, by its name: what its value may name beside the machine types of the clouds.

    MACHINES: a GPU model. FAMILIES: a family alone. KINDS: a kind of machine, or of something else, such as `shape`,
    `plan` or `type`. GPUS: a model of two letters.
    """

    NOTHING = 0
    MACHINES = auto()
    FAMILIES = auto()
    KINDS = auto()
    GPUS = auto()


_FAMILY: Final = r"(?:p[2-9]|g[3-9]|gr\d)[a-z]{0,3}(?:-[a-z]{1,2}\d{3})?"
"""EC2 instance type naming conventions: families P and G have GPUs."""

_NAME: Final = re.compile(
    r"(?<![\w.@-])(?:"
    rf"(?P<aws>(?:ml\.|stream\.graphics\.)?{_FAMILY}\.(?:\d*xlarge|large|metal[a-z0-9-]*))"
    r"|(?P<gcp>a\d+x?-[a-z]*gpu-\d+g[a-z0-9-]*|g[24]-standard-\d+)"
    r"|(?P<azure>standard_n[a-z]+\d+[a-z0-9_-]*)"
    r"|(?P<model>nvidia[-_ ](?:(?:tesla|geforce|quadro)[-_ ])?"
    r"(?:g?b[23]00|[ah][12]00|a10g?|l4|l40s?|[tpvk]\d{1,3}|rtx)(?:[-_ ][a-z0-9]+)*)"
    r")(?![\w@]|[.:/-]\w)",
    re.IGNORECASE,
)
_WHOLE_FAMILY: Final = re.compile(rf"({_FAMILY}|[pg](?=\*))(?:[a-z0-9]*\.?[a-z0-9]*\*)?", re.IGNORECASE)
_FAMILY_IN_TEXT: Final = re.compile(
    rf"instance[-_ ]?(?:types?|famil\w+)[\"']?[\s:=\[\"'-]+({_FAMILY})(?![\w.-])", re.IGNORECASE
)
_MODEL: Final = re.compile(r"(?<![a-wyz0-9])(?:gb[23]00|b[23]00|h[12]00|a100)(?!\d)", re.IGNORECASE)
_MODEL_OF_KIND: Final = re.compile(
    r"(?<![a-z0-9])(?:\d+x)*\d{0,2}x?"  # as in `160x1792x8h100` of IBM
    r"(?:(?P<card>rtx[-_]?(?:pro[-_]?)?\d{4})"
    r"|(?P<chip>g[bh][23]00|b[23]00|h[128]00|[av]100|a800|p100|a10g?|l40s?|l4|t4|mi[23]\d{2}x?)(?![a-wyz0-9]))",
    re.IGNORECASE,
)
_GPU_IN_TEXT: Final = re.compile(
    rf"(?:gpus?|accelerators?)(?:[-_ ]?(?:types?|names?))?[\"']?[\s:=\[\"'-]+"
    rf"({_MODEL_OF_KIND.pattern}(?::\d+)?)(?![\w.-])",
    re.IGNORECASE,
)
"""As in the commands and files of tools that choose the cloud: `--gpus H100:8`."""
_MODEL_ALONE: Final = re.compile(
    rf"(?:nvidia[-_ ]|tesla[-_ ])*(?:{_MODEL_OF_KIND.pattern})(?:[-_ ](?:\d+ ?gb|hbm\w*|sxm\w*|pcie|nvl|mega))*",
    re.IGNORECASE,
)
"""What is the name of a GPU and of no machine, so that a number beside it may count GPUs."""
_GPU_WORD: Final = re.compile(r"(?<![a-z])(?:gpus?|graphics(?:pro)?|(?:ebm)?v?gn\d\w*)(?![a-z])", re.IGNORECASE)
"""Families `gn` of Alibaba and Tencent have GPUs."""
_KIND: Final = re.compile(r"[\w.-]{2,64}")
"""The name of a kind of machine: one word."""

_HINTS: Final = (
    "large", ".metal", "gpu", "nvidia", "standard_n", "g2-st", "g4-st", "h100", "h200", "h800", "a100", "a800", "b200",
    "b300", "v100", "p100", "l40", "rtx", "mi2", "mi3", "graphics",
    "instancefamil", "instancetype", "instance-famil", "instance-type", "instance-categ", "sku-famil", "accelerator",
    "p*", "g*", ".gn", "ebmgn",
)  # fmt: skip
"""One of these, in lower case, is in every text with such a name, except a family and a short model alone."""
_SHORT_MODELS: Final = frozenset({"l4", "t4", "a10", "a10g"})


def may_name(texts: Iterable[str]) -> bool:
    """Whether any of the texts may name a GPU machine: a quick test, as nearly all of a program do not."""
    listed = [*texts]
    joined = "\n".join(listed).lower()
    return any(hint in joined for hint in _HINTS) or any(
        len(text) < 12
        and ((text[:1] in "pgPG" and _WHOLE_FAMILY.fullmatch(text) is not None) or text.lower() in _SHORT_MODELS)
        for text in listed
    )


@functools.lru_cache(maxsize=4096)
def names_in(text: str, about: About) -> tuple[GpuName, ...]:
    """The names in a text, each once. about: what the property with this text is about."""
    return (*{name.text: name for name in _names(text, about)}.values(),)


def _names(text: str, about: About) -> Iterator[GpuName]:
    named = False
    for match in _NAME.finditer(text):
        kind, word, named = str(match.lastgroup), match[0], True
        if kind != "azure" or ((size := size_of(word)) is not None and size.computes):
            yield _model(word) if kind == "model" else _machine(word, kind)
    for match in _GPU_IN_TEXT.finditer(text):
        yield _of_vendor(match[1], (match["card"] or match["chip"]).upper())
    if len(text) > 40:  # a document
        yield from (_of_family(match[1], match[1]) for match in _FAMILY_IN_TEXT.finditer(text))
    elif About.FAMILIES in about and (family := _WHOLE_FAMILY.fullmatch(text)):
        yield _of_family(family[1], family[0])
    elif About.MACHINES in about and not named and (model := _MODEL.search(text)):
        yield _of_vendor(text, model[0].upper())
    elif About.KINDS in about and not named and _KIND.fullmatch(text):
        # `L4` and `gpu` alone are kinds of other things, too.
        model = _MODEL_OF_KIND.search(text)
        if model is not None and (len(text) > 2 or About.GPUS in about):
            yield _of_vendor(text, (model["card"] or model["chip"]).upper())
        elif _GPU_WORD.search(text) and not _GPU_WORD.fullmatch(text):
            yield _of_vendor(text, "")


def _of_vendor(text: str, gpu: str) -> GpuName:
    """A GPU model, or a kind of machine that has one."""
    each = re.search(r":(\d+)$", text)  # `H100:8`
    return GpuName(text, "" if _MODEL_ALONE.fullmatch(text) else text, None, gpu, int(each[1]) if each else 0)


def _machine(word: str, cloud: str) -> GpuName:
    known = _spelled().get(_bare(word))
    if known is not None:
        machine = machines()[known]
        return GpuName(word, known, cloud, machine.model.upper(), machine.gpus, machine.vcpus)
    if sold := racks_by_machine().get(_bare(word)):
        rack = sold[0]
        return GpuName(word, rack.machine_type, cloud, rack.accelerator.upper(), rack.gpus, rack.vcpus)
    size = size_of(word) if cloud == "azure" else None
    return GpuName(word, _bare(word) if size is None else word, cloud, (size and size.gpu) or "")


def _of_family(family: str, written: str) -> GpuName:
    """Of the largest machine of the family: its number of GPUs is that of the most."""
    alike = [one for name, one in machines().items() if name.startswith(f"{family.lower()}.")]
    if not alike:
        return GpuName(written, family.lower(), "aws")
    most = max(alike, key=lambda one: one.gpus)
    return GpuName(written, family.lower(), "aws", most.model.upper(), most.gpus, most.vcpus)


def _model(word: str) -> GpuName:
    """Compute Engine's names of GPUs have this form; so do those of other vendors."""
    found = re.search(r"[a-z]+\d+[a-z]*", word, re.IGNORECASE)
    return GpuName(word, "", "gcp", found[0].upper() if found else "")


def _bare(word: str) -> str:
    """A machine type without the prefix of a service, in lower case."""
    return word.lower().removeprefix("ml.").removeprefix("stream.graphics.")


@functools.cache
def _spelled() -> dict[str, str]:
    """Names in lower case -> as the cloud spells them."""
    return {name.lower(): name for name in machines()}
