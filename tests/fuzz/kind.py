"""A kind of input: what is mutated, and the commands that read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["ROOT", "Kind", "texts"]

ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """seeds: texts that are mutated. structure, words: as `mutant` takes them. name: of the file that a mutant is
    written to. commands: FILE stands for the mutant, TEXT for what it says, another name for a whole file.

    alone: whether the file is in a folder of its own, where the command runs. packed: whether it is gzipped.
    variable: of the environment, which holds the mutant. answer: the words, such as `stack output`, that the mutant
    answers; it needs `programs`: whether `pulumi` and `kubectl` of `tests.fuzz.programs` alone are on PATH. fails:
    whether they may fail instead, with the mutant as what they say.
    """

    seeds: Sequence[str]
    structure: str
    name: str
    commands: Sequence[Sequence[str]]
    words: Sequence[str] = ()
    alone: bool = False
    packed: bool = False
    variable: str = ""
    answer: str = ""
    programs: bool = False
    fails: bool = True


def texts(*globs: str) -> list[str]:
    """Those of the repository's files."""
    return [file.read_text() for glob in globs for file in sorted(ROOT.glob(glob))]
