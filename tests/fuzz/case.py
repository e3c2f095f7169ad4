"""One case: a mutant, the command that reads it, and what is wrong with how that ends."""

from __future__ import annotations

import gzip
import io
import os
import random
import resource
import shutil
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unittest import mock

import click

from gpucluster.cli import main
from gpucluster.groups import Main
from tests.fuzz.forms import faults, obeyed
from tests.fuzz.inputs import KINDS, WHOLE
from tests.fuzz.kind import ROOT
from tests.fuzz.mutants import mutant
from tests.fuzz.programs import answering, put
from tests.fuzz.readers import READERS

__all__ = ["Result", "folder_of", "limit_memory", "run"]

LONGEST: Final = 10.0
"""Seconds of this process, waiting not counted, after which a case hangs."""


_NOBODY: Final = {
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
    "AWS_CONFIG_FILE": "/nowhere",
}
"""No login to an account, wherever the tests run."""


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
    put(base)
    return base


def run(seed: int, number: int, folder: Path) -> Result:
    """The case of a number, in a folder that `folder_of` made."""
    by = random.Random(f"{seed}:{number}")
    kind = list(KINDS)[number % len(KINDS)]
    of = KINDS[kind]
    text, command = mutant(by, by.choice(of.seeds), of.structure, of.words), list(by.choice(of.commands))
    if of.answer and by.random() < 0.1:
        text = by.choice(("", f"warning: a new version is available\n{text}", text * 2))
    place = _own(folder, number) if of.alone else folder
    # A name of its own: what reads prices remembers a file by its name.
    file = place / ("stacks" if "fuzz" in of.name else ".") / of.name.replace("fuzz", f"fuzz{number}")
    file = file if "fuzz" in of.name or of.alone else file.with_name(f"{number}-{of.name}")
    content = text.encode("utf-8", by.choice(("surrogatepass", "replace")))
    file.write_bytes(_damaged(by, gzip.compress(content)) if of.packed else content)
    given = os.fsdecode(content.replace(b"\0", b""))  # as a program gets its arguments and variables
    stands = {"FILE": str(file), "TEXT": given, "fuzz": f"fuzz{number}", "OUT": str(file.with_suffix(".results"))}
    words = [stands.get(word, word) for word in command]
    written = folder / f"{number}.out" if "--format" in words and by.random() < 0.5 else None
    words += ["--output", str(written)] if written is not None and command[0] not in ("check", "telemetry") else []
    environment = {of.variable: given} if of.variable else {}
    if of.programs:
        environment |= answering(folder, of.answer, file, fails=of.fails and by.random() < 0.1)
    started = time.process_time()
    code, said = _run(words, file, place, environment)
    seconds = time.process_time() - started
    shown = written.read_text() if written is not None and written.exists() else said
    form = words[words.index("--format") + 1] if "--format" in words else ""
    wrong = "; ".join(_wrong(code, said, shown, form, whole=written is not None and written.exists()))
    if not wrong:
        for left in (written, file, *folder.glob(f"{number}-*"), *([place] if of.alone else [])):
            if left is not None and left.is_dir():
                shutil.rmtree(left)
            elif left is not None:
                left.unlink(missing_ok=True)
    return Result(kind=kind, command=words, file=file, code=code, wrong=wrong, said=said, seconds=seconds)


def _own(folder: Path, number: int) -> Path:
    """A project of one case, with the stacks of ours."""
    (place := folder / f"{number}-alone").mkdir()
    for name in WHOLE:
        (place / name).symlink_to(folder / name)
    (place / "stacks").symlink_to(ROOT / "stacks")
    (place / "Pulumi.yaml").write_bytes((folder / "Pulumi.yaml").read_bytes())
    return place


def _damaged(by: random.Random, packed: bytes) -> bytes:
    """A third of them cut off, another with a byte that is wrong."""
    at, how = by.randrange(len(packed)), by.random()
    return (
        packed if how > 0.66 else packed[:at] + (bytes([by.randrange(256)]) + packed[at + 1 :] if how > 0.33 else b"")
    )


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


class _HangError(BaseException):
    """Ends a case; no handler of ours takes it for an error of its own."""


def _hang(*_: object) -> None:
    raise _HangError


def _run(words: list[str], file: Path, folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    shown = _Terminal()
    stream = io.TextIOWrapper(shown, encoding="utf-8", write_through=True)
    before = signal.signal(signal.SIGVTALRM, _hang)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        with (
            mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1", **_NOBODY, **environment}),
            # One of the judges is a program of another project, which takes seconds; what it ends in is caught.
            mock.patch("gpucluster.operate.pull_request.judgement.judged", lambda *_, **__: []),
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
        Main(commands={"reads": reads}).main(["reads"])


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
