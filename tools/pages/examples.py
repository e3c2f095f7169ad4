"""Writes docs/examples: plan and preview of each stack's own spec, their comparison, and an index with every total.

The stack's own program runs against a monitor that answers like a first preview: the program
prices its declarations before it sends anything to an engine, so the same text needs no engine.

`examples/specs/CLOUD/NAME.yaml` belongs to the stack CLOUD-trial.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import functools
import logging
import os
import runpy
import shutil
import tempfile
from collections.abc import Generator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from unittest import mock

import yaml
from click.testing import CliRunner
from pulumi.runtime import mocks

from gpucluster.cli import main as gpucluster
from gpucluster.core.documents.formats import written
from gpucluster.core.program.closing import OUTPUT_VARIABLE
from gpucluster.core.program.readers.without_engine import run_without_engine
from gpucluster.core.program.resources import Resources
from gpucluster.cost import Estimate, estimate
from gpucluster.cost.comparison import Column, cluster_of, compare
from gpucluster.cost.documents.comparison.comparison import comparison_document
from gpucluster.cost.preview import watch
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.money import ranged

ROOT = Path(__file__).parents[2]
_SPECS = ROOT / "examples/specs"
_COMPARISON = Path("comparison.md")


@dataclass(frozen=True, kw_only=True)
class Example:
    """cloud: the part of its stack's name before `-trial`."""

    spec: Path
    cloud: str

    @property
    def stack(self) -> str:
        return f"{self.cloud}-trial"

    @property
    def page(self) -> Path:
        """Path of its page below docs/examples."""
        return Path(self.cloud) / f"{self.spec.stem}.md"

    @property
    def shown(self) -> str:
        return self.spec.relative_to(ROOT).as_posix()

    @property
    def own(self) -> bool:
        """Whether it is the spec of the stack itself: those of all clouds are compared."""
        return _SPECS not in self.spec.parents


def examples() -> list[Example]:
    """Every example, by cloud and name."""
    found = [Example(spec=path, cloud=path.parent.name) for path in _SPECS.glob("*/*.yaml")]
    for path in (ROOT / "stacks").glob("Pulumi.*-trial.yaml"):
        cloud = path.name.removeprefix("Pulumi.").removesuffix("-trial.yaml")
        found.append(Example(spec=ROOT / "stacks" / _config(path)["gpucluster:spec"], cloud=cloud))
    return sorted(found, key=lambda example: example.page)


def write_pages(folder: Path, day: datetime.date) -> dict[Example, Resources]:
    """A page for each stack's own spec, their comparison, and an index of all examples; returns their declarations.

    Pages of examples that no longer exist are deleted.

    day: date for judging whether prices are fresh or old, so that a page does not change until it is written again.
    Tables are as wide as in a pipe, whatever terminal this runs in.
    """
    found = examples()
    of_the_day = mock.patch.object(PriceBook, "__init__", functools.partialmethod(PriceBook.__init__, today=day))
    with of_the_day, mock.patch.dict(os.environ):
        os.environ.pop("COLUMNS", None)
        os.environ[OUTPUT_VARIABLE] = "full"
        pages, made, priced = dict[Path, str](), dict[Example, Resources](), dict[Example, Estimate]()
        for example in found:
            text, made[example] = page_of(example)
            priced[example] = estimate(made[example])
            if example.own:
                pages[example.page] = text
        columns = [
            Column(title=example.stack, estimate=priced[example], cluster=cluster_of(resources))
            for example, resources in made.items()
            if example.own
        ]
        pages[_COMPARISON] = _compared(columns)
        pages[Path("README.md")] = _index(priced, day, {*pages})
    for cloud in folder.glob("*/"):
        shutil.rmtree(cloud)
    for path, text in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return made


def _index(priced: Mapping[Example, Estimate], day: datetime.date, pages: Set[Path]) -> str:
    rows = "\n".join(
        f"| [{example.spec.stem}]({example.page.as_posix() if example.page in pages else f'../../{example.shown}'}) "
        f"| `{example.stack}` | {ranged(found.monthly.expected, found.gaps.expected)} | {_about(example)} |"
        for example, found in priced.items()
    )
    return (
        "# Examples, costed\n\n"
        "The trial of every cloud, with plan and cost as a preview prints them, and every spec of\n"
        f"[`examples/specs/`](../../examples/specs/) with its total. Written by `make docs` on {day},\n"
        "which decides how fresh a price is; a test compares the pages with what the programs print. To preview an\n"
        "example, name it in the configuration of its stack: `gpucluster:spec: ../examples/specs/aws/h200.yaml`.\n\n"
        f"[The trial on every cloud]({_COMPARISON}), side by side.\n\n"
        f"| example | stack | $/month | what it is |\n| --- | --- | ---: | --- |\n{rows}\n"
    )


def _compared(columns: list[Column]) -> str:
    names = " ".join(f"{column.title}.json" for column in columns)
    return (
        "# The trial on every cloud\n\n"
        "One spec, [`stacks/specs/trial.yaml`](../../stacks/specs/trial.yaml), in the stack of each cloud. Written by\n"
        "`make docs`; `make compare` prints it for your own stacks.\n\n"
        f"```\n$ gpucluster cost compare {names}\n{written(comparison_document(compare(columns)), 'table')}\n```\n"
    )


def page_of(example: Example) -> tuple[str, Resources]:
    """(its page on this day, its program's declarations)."""
    with _project(example):
        plan = _checked(example.stack)
        preview, made = _previewed(example.stack)
    above = "../" * (len(example.page.parts) + 1)
    text = (
        f"# {example.spec.stem}\n\n{_about(example)}\n\n"
        f"Spec: [`{example.shown}`]({above}{example.shown}). Written by `make docs`.\n\n"
        f"```\n$ gpucluster check --stack {example.stack}\n{plan}\n```\n\n"
        f"```\n$ {OUTPUT_VARIABLE}=full pulumi preview --stack {example.stack}\n{preview}\n```\n"
    )
    return text, made


def declared(example: Example, edits: Mapping[str, Any] | None = None) -> Resources:
    """The declarations of an example's program; `edits` are merged into its spec, at any depth."""
    with _project(example, edits):
        return _previewed(example.stack)[1]


def _edited(value: Any, edits: Any) -> Any:
    if not isinstance(value, dict) or not isinstance(edits, Mapping):
        return edits
    given = cast("dict[str, Any]", value)
    return {**given, **{key: _edited(given.get(key), edit) for key, edit in cast("Mapping[str, Any]", edits).items()}}


def _about(example: Example) -> str:
    """The comment at the top of the spec."""
    lines = example.spec.read_text(encoding="utf-8").splitlines()
    head: list[str] = []
    for line in lines:
        if not line.startswith("#"):
            break
        if not line.startswith("# yaml-language-server:"):
            head.append(line.removeprefix("#").strip())
    return " ".join(head)


@contextlib.contextmanager
def _project(example: Example, edits: Mapping[str, Any] | None = None) -> Generator[None]:
    """The project with the edited example as the spec of its stack, as the working directory."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        shutil.copy(ROOT / "Pulumi.yaml", root)
        (root / "stacks/specs").mkdir(parents=True)
        shutil.copy(ROOT / f"stacks/Pulumi.{example.stack}.yaml", root / "stacks")
        spec = root / "stacks" / _config(root / f"stacks/Pulumi.{example.stack}.yaml")["gpucluster:spec"]
        shutil.copy(example.spec, spec)
        if edits:
            spec.write_text(yaml.safe_dump(_edited(yaml.safe_load(spec.read_text(encoding="utf-8")), edits)))
        with contextlib.chdir(root):
            yield


def _config(stack_file: Path) -> dict[str, str]:
    return yaml.safe_load(stack_file.read_text())["config"]


def _checked(stack: str) -> str:
    done = CliRunner().invoke(gpucluster, ["check", "--stack", stack])
    if done.exit_code:
        raise SystemExit(done.output)
    return done.output.rstrip()


def run(example: Example, monitor: mocks.MockMonitor, edits: Mapping[str, Any] | None = None) -> None:
    """Runs the program of an example like an update, against a substitute for the engine."""
    with _project(example, edits):
        _run(example.stack, monitor, dry_run=False)


def _previewed(stack: str) -> tuple[str, Resources]:
    """(all messages of the program in order, as a preview shows them under Diagnostics; its resources)."""
    return _run(stack, mocks.MockMonitor(_FirstPreview()), dry_run=True)


def _run(stack: str, monitor: mocks.MockMonitor, *, dry_run: bool) -> tuple[str, Resources]:
    handler = _Messages()
    found: list[Resources] = []
    program = ROOT / "stacks/__main__.py"
    config = _config(Path(f"stacks/Pulumi.{stack}.yaml"))

    async def run() -> None:
        engine, project = mocks.MockEngine(handler.logger), yaml.safe_load(Path("Pulumi.yaml").read_text())["name"]
        root = Path.cwd()
        with contextlib.chdir("stacks"):
            await run_without_engine(
                watched, monitor, engine, project=project, stack=stack, preview=dry_run, root=root, config=config
            )

    def watched() -> None:
        seen = watch()
        runpy.run_path(str(program))
        found.append(seen.resources())

    asyncio.run(run())
    return "\n".join(handler.lines), found[0]


class _FirstPreview(mocks.Mocks):
    """Echoes inputs without ids. Queries of a program to a cloud have no answer."""

    def call(self, args: mocks.MockCallArgs) -> Any:
        raise AssertionError(f"a preview must ask no cloud: {args.token}")

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        # Input as a list of ids, output as a map: no echo.
        changed = {"identity"} if args.typ == "azure-native:containerservice:ManagedCluster" else set[str]()
        inputs = cast("dict[str, Any]", args.inputs)
        return "", {key: value for key, value in inputs.items() if key not in changed}


class _Messages(logging.Handler):
    """Keeps the log messages of a program; warnings are marked like the engine's."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []
        self.logger = logging.Logger("program", logging.INFO)
        self.logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        mark = "warning: " if record.levelno == logging.WARNING else ""
        self.lines.append(f"{mark}{record.getMessage()}")
