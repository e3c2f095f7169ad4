"""The closing block: the lines that a preview, an update, a check and a report print last.

A run of the sandbox has several processes: programs know the cost, policy packs the findings. Each hands its part over
in a file, and the sandbox prints one block after the engine's output. Without the sandbox a program logs its own part.
"""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal, TextIO

from gpucluster.errors import InputError

OUTPUT_VARIABLE: Final = "GPUCLUSTER_OUTPUT"
"""If set to `full`, previews and reports on a terminal also show sources, assumptions, usage items and every note."""

FOLDER_VARIABLE: Final = "SANDBOX_CLOSING"
"""Names the folder in which the sandbox reads the parts of the block."""

_COMMAND: Final = "Next"
"""Label of a command, which is copied whole: it does not wrap."""

Tone = Literal["", "strong", "bad"]


@dataclass(frozen=True)
class Line:
    """label: empty below a line of the same subject. tone: of the whole line on a terminal with colours."""

    label: str
    text: str
    tone: Tone = ""


_STYLES: Final[Mapping[Tone, Mapping[str, Any]]] = {"": {}, "strong": {"bold": True}, "bad": {"fg": "red"}}


def in_full() -> bool:
    """Whether the user wants everything. Raises InputError if the variable has another value."""
    value = os.environ.get(OUTPUT_VARIABLE, "")
    if value not in ("", "full"):
        raise InputError(f"{OUTPUT_VARIABLE} is {value!r}; write full, or unset it")
    return value == "full"


def hand_over(part: str, content: object) -> bool:
    """Writes a part of the block, in place of an earlier one of the same name; False without a sandbox."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        return False
    file = Path(folder, f"{part}.json")
    written = file.with_suffix(f".{os.getpid()}")
    written.write_text(json.dumps(content), encoding="utf-8")
    written.replace(file)
    return True


def handed_over(folder: Path) -> dict[str, Any]:
    """The content of each part."""
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))}


def as_data(lines: Sequence[Line]) -> list[dict[str, str]]:
    """The lines for `hand_over`."""
    return [asdict(line) for line in lines]


def block(lines: Sequence[Line], width: int, stream: TextIO | None = None) -> str:
    """The lines under each other, wrapped to `width` characters with their indentation.

    stream: shows the tones if it is such a terminal.
    """
    from gpucluster.core.text.terminal import styled  # a pack hands over and shows nothing: it needs no click

    indent = max((len(line.label) for line in lines), default=0) + 2
    shown: list[str] = []
    for line in lines:
        # Commands, paths and amounts are for copying, and must keep their hyphens.
        room = len(line.text) if line.label == _COMMAND else max(width - indent, 20)
        inner = " " * (len(line.text) - len(line.text.lstrip(" ")))
        texts = textwrap.wrap(line.text, room, subsequent_indent=inner, break_long_words=False, break_on_hyphens=False)
        for head, text in zip([line.label, *[""] * (len(texts) - 1)], texts, strict=True):
            toned = text if stream is None else styled(text, stream, **_STYLES[line.tone])
            shown.append(f"{head.ljust(indent)}{toned}")
    return "\n".join(shown)
