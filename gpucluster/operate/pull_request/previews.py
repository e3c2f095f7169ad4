"""Previews every stack of both sides: builds the base in its own sandbox, and plans the head on its state."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import yaml
from pydantic import ValidationError

from gpucluster.core.program.readers.files import read_file
from gpucluster.core.program.readers.records import NotReadable
from gpucluster.core.program.resources import urn_name, urn_type
from gpucluster.core.program.values import text
from gpucluster.core.text.json_text import BadJson, parse
from gpucluster.errors import InputError
from gpucluster.operate.pull_request.evidence import (
    Evidence,
    JobEvidence,
    PackFinding,
    PriceFiles,
    StackEvidence,
    kept_of_plan,
    kept_of_state,
    problems,
)
from gpucluster.operate.pull_request.revisions import Checkout, CheckoutFailed, Repository, Revision, locks_changed
from gpucluster.policies.engine.exemptions import Exemption, exemptions
from gpucluster.sandbox.engine.find import find_engine
from gpucluster.sandbox.project.project import find_project

Say = Callable[[str], None]
"""Prints a line of progress."""

_PRICES: Final = "cost/prices"
_LONGEST: Final = 2_000
_COLOURS: Final = re.compile(r"<\{%.*?%\}>")
"""The engine's marks for colours."""
_AT_ONCE: Final = 2
"""Concurrent stacks per core: a single one waits for its own parts too often to keep a core busy."""


def evidence_of(
    folder: Path,
    base: str,
    *,
    stacks: Sequence[str],
    setup: str,
    say: Say,
    jobs: Sequence[str] = (),
    packs: Sequence[Path] = (),
) -> Evidence:
    """The changes of the working tree around `folder` since its merge base with `base`.

    stacks: their names; by default every stack with a configuration file on one of the sides.
    setup: the command that creates the base's environment if its locked packages differ. jobs: patterns of files in
    the project, whose jobs are rehearsed on the live cluster of each stack of the change. packs: folders of policy
    packs that the engine runs on both sides; those in the repository as the base has them.
    Raises InputError, and EngineError if there is no engine.
    """
    with TemporaryDirectory(prefix="pr-check-") as name:
        work = Path(name).resolve()
        (work / "git").mkdir()
        repository = Repository.around(folder, work / "git")
        project = find_project(folder)
        if project is None or not project.root.resolve().is_relative_to(repository.root.resolve()):
            raise InputError(f"no Pulumi.yaml in {folder} or above; run this in a Pulumi project")
        inside = project.root.resolve().relative_to(repository.root.resolve())
        before = repository.base(base)
        after = repository.head(before)
        changed = repository.changed(before, after)
        old, new = (_exported(repository, side, inside, work / at) for side, at in ((before, "base"), (after, "head")))
        chosen = _chosen(stacks, old, new)
        rehearsed = _matching(new.files / inside, jobs)
        judging = [_pack_of_base(pack, repository, old.files, before.commit) for pack in packs]
        find_engine(say=say)  # here, once, so that its messages are visible
        also = " and uncommitted changes" if after.uncommitted else ""
        say(f"Comparing {after.commit[:7]}{also} with {before.commit[:7]}: {', '.join(chosen)}")
        problem = ""
        if locks_changed(changed):
            say("The locked packages differ: the base gets an environment of its own")
            old = replace(old, environment=old.files)
            try:
                old.install(setup)
            except CheckoutFailed as error:
                problem = str(error)

        def preview(stack: str) -> StackEvidence:
            return _stack(stack, old, new, problem, work / "stacks" / stack, say, rehearsed, judging)

        with ThreadPoolExecutor(max_workers=_AT_ONCE * (os.cpu_count() or 1)) as pool:
            futures = [pool.submit(preview, stack) for stack in chosen]
        try:
            return Evidence(
                base=before.commit,
                head=after.commit,
                changed_files=list(changed),
                stacks=[future.result() for future in futures],
                prices=_prices(old.files, new.files),
            )
        except ValidationError as error:
            raise InputError(problems(error, "the evidence cannot be kept")) from None


def _exported(repository: Repository, revision: Revision, project: Path, files: Path) -> Checkout:
    repository.export(revision, files)
    return Checkout(repository, revision, project, files, repository.root)


def _chosen(stacks: Sequence[str], old: Checkout, new: Checkout) -> list[str]:
    known = sorted({*old.stacks(), *new.stacks()})
    unknown = [stack for stack in stacks if stack not in known]
    if unknown or not known:
        there = f"stacks: {', '.join(known)}" if known else "a stack is a file Pulumi.NAME.yaml beside Pulumi.yaml"
        raise InputError(f"no stack {', '.join(unknown) or 'at all'} on either side; {there}")
    return list(dict.fromkeys(stacks)) or known


def _matching(project: Path, patterns: Sequence[str]) -> list[Path]:
    """Files of a project, relative to it. Raises InputError for a pattern without a match."""
    found: dict[Path, None] = {}
    for pattern in patterns:
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
            raise InputError(f"--jobs is {pattern!r}; write a pattern of files inside the project, such as jobs/*.yaml")
        files = sorted(file.relative_to(project) for file in project.glob(pattern) if file.is_file())
        if not files:
            raise InputError(
                f"--jobs is {pattern!r}, which matches no file of the project; write one such as jobs/*.yaml"
            )
        found |= dict.fromkeys(files)
    return [*found]


def _pack_of_base(pack: Path, repository: Repository, files: Path, base: str) -> Path:
    """The folder of a policy pack as the base has it, with its packages; itself if outside of the repository."""
    inside = repository.inside(pack)
    found = pack.resolve() if inside is None else files / inside
    if not (found / "PulumiPolicy.yaml").is_file():
        there = "" if inside is None else f" in the base {base[:12]}: no change brings its own judge"
        raise InputError(f"--policy-pack is {str(pack)!r}; write a folder with a PulumiPolicy.yaml{there}")
    if inside is None:
        return found
    for name in (*_environment(found / "PulumiPolicy.yaml"), "node_modules"):
        there, here = Path(os.path.normpath(repository.root / inside / name)), Path(os.path.normpath(found / name))
        if there.is_dir() and not here.exists() and here.is_relative_to(files):
            here.parent.mkdir(parents=True, exist_ok=True)
            here.symlink_to(there, target_is_directory=True)
    return found


def _environment(file: Path) -> list[str]:
    """The virtual environment that a policy pack names, relative to its folder."""
    try:
        found = text(yaml.safe_load(file.read_text(encoding="utf-8")), "runtime", "options", "virtualenv")
    except (yaml.YAMLError, UnicodeDecodeError):  # the engine reports it
        return []
    return [found] if isinstance(found, str) else []


def _stack(
    stack: str,
    old: Checkout,
    new: Checkout,
    problem: str,
    work: Path,
    say: Say,
    jobs: Sequence[Path] = (),
    packs: Sequence[Path] = (),
) -> StackEvidence:
    """One stack on both sides. problem: why the base can't be built at all. jobs: files with the jobs to rehearse.

    packs: folders of policy packs.
    """
    built, reason = None, ""
    if stack in old.stacks():
        built, reason = _build(stack, old, problem, work / "base")
        if reason:
            say(f"{stack}: no comparison: {_first_line(reason)}")
    state = None if built is None else kept_of_state(built.resources(stack))
    earlier, _ = ([], "") if built is None or not packs else _found(stack, built, packs)
    base = "failed" if reason else "absent" if built is None else "built"
    if stack not in new.stacks():
        say(f"{stack}: gone")
        return StackEvidence(name=stack, base=base, base_problem=reason, state=state, head="absent")
    head = new.copy(work / "head")
    if built is not None:
        shutil.move(built.store, head.store)
    plan, failure = _plan(stack, head)
    say(f"{stack}: no plan: {_first_line(failure)}" if plan is None else f"{stack}: planned")
    later, unrun = ([], "") if plan is None or not packs else _found(stack, head, packs)
    if unrun:
        say(f"{stack}: policy packs did not run: {_first_line(unrun)}")
    found, why_not = ([], "") if plan is None or not jobs else _rehearsed(stack, head, jobs)
    if why_not:
        say(f"{stack}: jobs not rehearsed: {_first_line(why_not)}")
    return StackEvidence(
        name=stack,
        base=base,
        base_problem=reason,
        state=state,
        head="failed" if plan is None else "planned",
        head_problem=failure,
        plan=plan,
        computed_ends=_computed_ends(plan, head),
        packs_before=earlier,
        packs_after=later,
        packs_problem=unrun,
        jobs=found,
        jobs_problem=why_not,
    )


def _build(stack: str, old: Checkout, problem: str, folder: Path) -> tuple[Checkout | None, str]:
    """The base with the stack in its sandbox, or the reason why there is none."""
    if problem:
        return None, problem
    side = old.copy(folder)
    try:
        side.up(stack)
    except CheckoutFailed as error:
        return None, str(error)
    return side, ""


def _plan(stack: str, head: Checkout) -> tuple[dict[str, Any] | None, str]:
    """The plan, or its error."""
    try:
        plan = kept_of_plan(parse(head.plan(stack)))
    except CheckoutFailed as error:
        return None, str(error)
    except BadJson as error:
        return None, f"its plan {error}"
    errors = "\n".join(item["message"].strip().removeprefix("error: ") for item in plan["diagnostics"])
    return (None, errors[:_LONGEST]) if errors else (plan, "")


def _found(stack: str, side: Checkout, packs: Sequence[Path]) -> tuple[list[PackFinding], str]:
    """What policy packs find on a side, or why they did not run."""
    try:
        return [_finding(event) for event in side.policy_events(stack, packs)], ""
    except CheckoutFailed as error:
        return [], str(error)[:_LONGEST]
    except (BadJson, ValidationError) as error:
        return [], f"the engine's events can't be read: {type(error).__name__}"


def _finding(event: Mapping[str, Any]) -> PackFinding:
    urn = str(event.get("resourceUrn", ""))
    return PackFinding(
        pack=str(event.get("policyPackName")),
        policy=str(event.get("policyName")),
        level="mandatory" if event.get("enforcementLevel") == "mandatory" else "advisory",
        resource="" if not urn or urn_type(urn) == "pulumi:pulumi:Stack" else urn_name(urn),
        message=_COLOURS.sub("", str(event.get("message")))[:_LONGEST].strip(),
    )


def _computed_ends(plan: Mapping[str, Any] | None, head: Checkout) -> list[str]:
    """Last days of exemptions that no file of the change has: each run computes them."""
    if plan is None:
        return []
    try:
        resources = read_file(json.dumps(plan), "the plan").resources
    except NotReadable:  # the judge reports it
        return []
    days = {one.until for one in exemptions(resources) if isinstance(one, Exemption)}
    return [day.isoformat() for day in sorted(days) if not head.has_day(day)]


def _rehearsed(stack: str, head: Checkout, files: Sequence[Path]) -> tuple[list[JobEvidence], str]:
    """The outcome of the jobs, or why it is unknown."""
    try:
        document = parse(head.rehearse(stack, files))
        return [_job(job) for job in document["jobs"]], ""
    except CheckoutFailed as error:
        return [], str(error)[:_LONGEST]
    except BadJson as error:
        return [], f"the rehearsal's report {error}"
    except (KeyError, TypeError, ValidationError) as error:
        return [], f"the rehearsal's report can't be read: {type(error).__name__}"


def _job(job: Mapping[str, Any]) -> JobEvidence:
    hourly = [machines["hourly"] for machines in job["machines"]]
    known = all(amount is not None for amount in hourly) and hourly
    return JobEvidence(
        title=f"{job['kind']} {job['namespace']}/{job['name']}",
        source=job["source"],
        verdict=job["verdict"],
        why="; ".join(job["why"])[:_LONGEST],
        hourly=f"{sum(map(Decimal, hourly), Decimal(0)):f}" if known else None,
    )


def _prices(old: Path, new: Path) -> PriceFiles | None:
    """The price books of both sides if the project has its own and they differ."""
    before, after = _book(old), _book(new)
    return PriceFiles(before=before, after=after) if before and before != after else None


def _book(files: Path) -> dict[str, str]:
    return {
        file.name: file.read_text(encoding="utf-8", errors="replace")
        for file in sorted((files / _PRICES).glob("*.csv"))
    }


def _first_line(text: str) -> str:
    return (text.splitlines() or [""])[0]
