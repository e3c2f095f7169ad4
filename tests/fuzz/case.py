"""One case: a mutant, the command that reads it, and what is wrong with how that ends."""

from __future__ import annotations

import io
import os
import random
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unittest import mock

import click

from gpucluster.cli import _Main, main
from tests.fuzz.forms import faults, obeyed
from tests.fuzz.inputs import KINDS, READERS, WHOLE
from tests.fuzz.mutants import mutant

__all__ = ["Result", "folder_of", "limit_memory", "run"]

LONGEST: Final = 10.0
"""Seconds of this process, waiting not counted, after which a case hangs."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """code: of the command. wrong: what must not be, empty where all is well. said: all that a terminal would get."""

    kind: str
    command: list[str]
    file: Path
    code: int
    wrong: str
    said: str
    seconds: float


def folder_of(base: Path) -> Path:
    """A project that mutants are written into: with whole files, specs and a place for a stack."""
    (base / "stacks/specs").mkdir(parents=True)
    (base / "Pulumi.yaml").write_text("name: gpucluster\nmain: stacks/\nstackConfigDir: stacks/\nruntime: python\n")
    (base / "stacks/specs/trial.yaml").write_text(WHOLE["SPEC"])
    for name, text in WHOLE.items():
        (base / name).write_text(text)
    return base


def run(seed: int, number: int, folder: Path) -> Result:
    """The case of a number, in a folder that `folder_of` made."""
    by = random.Random(f"{seed}:{number}")
    kind = list(KINDS)[number % len(KINDS)]
    of = KINDS[kind]
    text, command = mutant(by, by.choice(of.seeds), of.structure, of.words), list(by.choice(of.commands))
    # A name of its own: what reads prices remembers a file by its name.
    file = folder / ("stacks" if "fuzz" in of.name else ".") / of.name.replace("fuzz", f"fuzz{number}")
    file = file if "fuzz" in of.name else file.with_name(f"{number}-{of.name}")
    file.write_bytes(text.encode("utf-8", by.choice(("surrogatepass", "replace"))))
    words = [str(file) if word == "FILE" else f"fuzz{number}" if word == "fuzz" else word for word in command]
    written = folder / f"{number}.out" if "--format" in words and by.random() < 0.5 else None
    words += ["--output", str(written)] if written is not None and command[0] not in ("check", "telemetry") else []
    started = time.process_time()
    code, said = _run(words, file, folder)
    seconds = time.process_time() - started
    shown = written.read_text() if written is not None and written.exists() else said
    form = words[words.index("--format") + 1] if "--format" in words else ""
    wrong = "; ".join(_wrong(code, said, shown, form, whole=written is not None and written.exists()))
    for left in (written, *folder.glob(f"{number}-*.sqlite3*")):
        if left is not None and not wrong:
            left.unlink(missing_ok=True)
    if not wrong:
        file.unlink()
    return Result(kind=kind, command=words, file=file, code=code, wrong=wrong, said=said, seconds=seconds)


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


class _HangError(BaseException):
    """Ends a case; no handler of ours takes it for an error of its own."""


def _hang(*_: object) -> None:
    raise _HangError


def _run(words: list[str], file: Path, folder: Path) -> tuple[int, str]:
    shown = _Terminal()
    stream = io.TextIOWrapper(shown, encoding="utf-8", write_through=True)
    before = signal.signal(signal.SIGVTALRM, _hang)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        with (
            mock.patch.dict(os.environ, {"COLUMNS": "100"}),
            # One of the judges is a program of another project, which takes seconds; what it ends in is caught.
            mock.patch("gpucluster.pull_request.vendors.judged", lambda *_, **__: []),
            mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO())),
            chdir(folder),
            redirect_stdout(stream),
            redirect_stderr(stream),
        ):
            _called(words, file)
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    except _HangError:
        code = 124
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return code, shown.getvalue().decode()


def _called(words: list[str], file: Path) -> None:
    if words[0] not in READERS:
        main(words)
    else:
        reads = click.Command("reads", callback=lambda: READERS[words[0]](file))
        _Main(commands={"reads": reads}).main(["reads"])


def _wrong(code: int, said: str, shown: str, form: str, *, whole: bool) -> Iterator[str]:
    if code not in (0, 1, 2):
        yield f"ends with {code}"
    if "Traceback" in said:
        yield "a traceback"
    if found := obeyed(said):
        yield f"control characters {sorted(map(ascii, found))}"
    if code == 2 and not shown:
        yield "no word why"
    if code in (0, 1) and whole:
        yield from faults(form, shown)


def limit_memory(gib: int) -> None:
    """Of this process, so that a bomb ends here."""
    resource.setrlimit(resource.RLIMIT_AS, (gib << 30, resource.RLIM_INFINITY))
