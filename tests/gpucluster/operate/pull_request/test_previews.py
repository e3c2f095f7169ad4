"""Both sides of every stack, with sides that answer as a sandbox would."""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from gpucluster.errors import InputError
from gpucluster.operate.pull_request.previews import _chosen, _matching, _pack_of_base, _stack
from gpucluster.operate.pull_request.revisions import CheckoutFailed, Repository, locks_changed
from tests.gpucluster.operate.pull_request.conftest import TRIAL, changed, plan, state
from tests.says import Says

PLAN = json.dumps({**plan("dev", TRIAL, TRIAL), "duration": 1})
RESOURCES = state("dev", TRIAL)["deployment"]["resources"]


@dataclass
class FakeSide:
    """A side with the stack `dev`. up, planned: what the commands give; an error is raised."""

    up_fails: str = ""
    planned: str | CheckoutFailed = PLAN
    names: tuple[str, ...] = ("dev",)
    files: Path = Path()
    days: tuple[str, ...] = ()
    events: Any = ()
    done: list[str] = field(default_factory=list)

    def stacks(self) -> list[str]:
        return [*self.names]

    def copy(self, folder: Path) -> FakeSide:
        self.store_of(folder).mkdir(parents=True)
        return replace(self, files=folder)

    @staticmethod
    def store_of(folder: Path) -> Path:
        return folder / ".sandbox"

    @property
    def store(self) -> Path:
        return self.store_of(self.files)

    def up(self, stack: str) -> None:
        self.done.append(f"up {stack}")
        if self.up_fails:
            raise CheckoutFailed(self.up_fails)
        (self.store / "state").write_text("built")

    def resources(self, stack: str) -> list[Any]:
        return RESOURCES if stack == "dev" else []

    def has_day(self, day: datetime.date) -> bool:
        return day.isoformat() in self.days

    def policy_events(self, stack: str, packs: list[Path]) -> list[Any]:
        self.done.append(f"run {', '.join(map(str, packs))} on {stack}")
        if isinstance(self.events, CheckoutFailed):
            raise self.events
        return [*self.events]

    def plan(self, stack: str) -> str:
        there = self.store / "state"
        self.done.append(f"plan {stack} on {there.read_text() if there.exists() else 'nothing'}")
        if isinstance(self.planned, CheckoutFailed):
            raise self.planned
        return self.planned


class Head(FakeSide):
    @staticmethod
    def store_of(folder: Path) -> Path:
        """A head has no sandbox yet: the base's is moved there."""
        return folder if not folder.exists() else folder / ".sandbox"


def run(tmp_path: Path, old: FakeSide, new: FakeSide, problem: str = "") -> tuple[Any, list[str]]:
    said: list[str] = []
    return _stack("dev", old, new, problem, tmp_path, said.append), said  # type: ignore[arg-type]


def test_the_head_is_planned_on_the_state_of_the_base(tmp_path: Path) -> None:
    old, new = FakeSide(), Head()
    found, said = run(tmp_path, old, new)
    assert (found.base, found.head, found.state["deployment"]["resources"] != []) == ("built", "planned", True)
    assert (old.done, new.done) == (["up dev"], ["plan dev on built"])
    assert "duration" not in found.plan
    assert said == ["dev: planned"]


@pytest.mark.parametrize(("days", "computed"), [((), ["2026-12-01"]), (("2026-12-01",), [])])
def test_an_end_of_an_exemption_that_no_file_has_is_computed(tmp_path: Path, days, computed) -> None:
    entry = {
        "rule": "budget",
        "resource": "trial",
        "reason": "agreed with finance",
        "owner": "ada",
        "until": "2026-12-01",
    }
    exempt = plan("dev", TRIAL, changed("trial", exemptions=[entry]))
    found, _ = run(tmp_path, FakeSide(), Head(planned=json.dumps(exempt), days=days))
    assert found.computed_ends == computed


def test_a_base_that_can_not_be_built_gives_no_comparison_and_the_plan_is_one_on_nothing(tmp_path: Path) -> None:
    new = Head()
    found, said = run(tmp_path, FakeSide(up_fails="error: no such zone\nmore"), new)
    assert (found.base, found.base_problem, found.state, found.head) == (
        "failed",
        "error: no such zone\nmore",
        None,
        "planned",
    )
    assert new.done == ["plan dev on nothing"]
    assert said == ["dev: no comparison: error: no such zone", "dev: planned"]


def test_an_environment_that_can_not_be_made_gives_no_comparison_either(tmp_path: Path) -> None:
    old = FakeSide()
    found, _ = run(tmp_path, old, Head(), "`make setup` failed: no network")
    assert (found.base, found.base_problem, old.done) == ("failed", "`make setup` failed: no network", [])


@pytest.mark.parametrize(
    ("names", "there"), [(("dev", "test"), "stacks: dev, test"), ((), "a stack is a file Pulumi.NAME.yaml")]
)
def test_an_unknown_stack_is_refused_with_those_that_there_are(names: tuple[str, ...], there: str) -> None:
    sides: Any = FakeSide(names=names), FakeSide(names=names)
    with pytest.raises(InputError, match=rf"^no stack prod on either side; {re.escape(there)}"):
        _chosen(["prod"], *sides)


def test_a_new_stack_is_planned_on_nothing(tmp_path: Path) -> None:
    new = Head()
    found, _ = run(tmp_path, FakeSide(names=()), new)
    assert (found.base, found.base_problem, found.head, new.done) == ("absent", "", "planned", ["plan dev on nothing"])


def test_a_stack_that_is_gone_has_the_state_of_the_base(tmp_path: Path) -> None:
    found, said = run(tmp_path, FakeSide(), Head(names=()))
    assert (found.base, found.head, found.plan, said) == ("built", "absent", None, ["dev: gone"])
    assert found.state["deployment"]["resources"]


@pytest.mark.parametrize(
    ("planned", "problem"),
    [
        (
            json.dumps(
                {"steps": [], "diagnostics": [{"severity": "error", "message": "error: over budget by $1.00\n"}]}
            ),
            "over budget by $1.00",
        ),
        (CheckoutFailed("error: nodes is 0"), "error: nodes is 0"),
        ("{", Says("not", "JSON", "1")),
    ],
    ids=["refused", "no plan", "no json"],
)
def test_a_head_without_a_plan_says_why_and_keeps_the_state(tmp_path: Path, planned: Any, problem: str) -> None:
    found, _ = run(tmp_path, FakeSide(), Head(planned=planned))
    assert (found.head, found.head_problem, found.plan, found.base) == ("failed", problem, None, "built")
    assert found.state is not None


def test_only_files_that_lock_packages_ask_for_an_environment_of_their_own() -> None:
    assert locks_changed(["README.md", "requirements.lock"])
    assert locks_changed(["app/package-lock.json"])
    assert locks_changed(["requirements-dev.txt"])
    assert not locks_changed(["pyproject.toml", "stacks/specs/trial.yaml", "lock.py"])


def rehearsed(**job: Any) -> str:
    machines = [{"hourly": "110.08"}, {"hourly": "6.88"}]
    known = {"kind": "TrainJob", "namespace": "training", "name": "pytorch", "source": "jobs/pytorch.yaml"}
    return json.dumps({"jobs": [{**known, "verdict": "runs", "why": [], "machines": machines, **job}]})


def event(level: str = "mandatory", urn: str = "urn:pulumi:dev::shop::aws:s3/bucket:Bucket::data") -> dict[str, str]:
    return {
        "resourceUrn": urn,
        "message": "<{%fg 1%}>not tagged<{%reset%}>\n",
        "policyName": "tagged",
        "policyPackName": "acme",
        "enforcementLevel": level,
    }


def test_policy_packs_of_others_run_on_both_sides(tmp_path: Path) -> None:
    whole = "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"
    old = FakeSide(events=[event()])
    new = Head(events=[event("advisory", whole), event("mandatory", "")])
    found = _stack("dev", old, new, "", tmp_path, [].append, (), [Path("acme")])  # type: ignore[arg-type]
    assert (old.done[-1], new.done[-1]) == ("run acme on dev", "run acme on dev")
    assert [(one.policy, one.pack, one.level, one.resource, one.message) for one in found.packs_before] == [
        ("tagged", "acme", "mandatory", "data", "not tagged")
    ]
    assert [(one.level, one.resource) for one in found.packs_after] == [("advisory", ""), ("mandatory", "")]
    assert found.packs_problem == ""


def test_why_a_policy_pack_did_not_run_is_said(tmp_path: Path) -> None:
    new = Head(events=CheckoutFailed("error: no module named pulumi_policy\nmore"))
    said: list[str] = []
    found = _stack("dev", FakeSide(), new, "", tmp_path, said.append, (), [Path("acme")])  # type: ignore[arg-type]
    assert found.packs_problem == "error: no module named pulumi_policy\nmore"
    assert said == ["dev: planned", "dev: policy packs did not run: error: no module named pulumi_policy"]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository whose packs name environments that git ignores."""
    for folder in ("acme", "acme/venv", "tools", ".venv"):
        (tmp_path / "repository" / folder).mkdir(parents=True)
    (tmp_path / "base/acme").mkdir(parents=True)
    (tmp_path / "base/tools").mkdir()
    options = {"acme": "venv", "tools": "../.venv"}
    for name, environment in options.items():
        (tmp_path / "base" / name / "PulumiPolicy.yaml").write_text(
            f"runtime: {{name: python, options: {{virtualenv: {environment}}}}}\n"
        )
    return Repository(tmp_path / "repository", tmp_path)


def test_a_policy_pack_of_the_repository_is_the_bases_with_its_packages(repository: Repository, tmp_path: Path) -> None:
    acme, tools = (
        _pack_of_base(repository.root / name, repository, tmp_path / "base", "b" * 40) for name in ("acme", "tools")
    )
    assert (acme, tools) == (tmp_path / "base/acme", tmp_path / "base/tools")
    assert (acme / "venv").resolve() == repository.root / "acme/venv"
    assert (tools / "../.venv").resolve() == repository.root / ".venv"


def test_a_policy_pack_that_is_none_in_the_base_is_refused(repository: Repository, tmp_path: Path) -> None:
    base = " in the base bbbbbbbbbbbb: no change brings its own judge"
    for pack, there in ((repository.root / "new", base), (tmp_path / "elsewhere", "")):
        with pytest.raises(InputError) as refused:
            _pack_of_base(pack, repository, tmp_path / "base", "b" * 40)
        assert str(refused.value) == f"--policy-pack is {str(pack)!r}; write a folder with a PulumiPolicy.yaml{there}"


@dataclass
class Living(Head):
    """A head whose cluster answers."""

    answer: str | CheckoutFailed = ""

    def rehearse(self, stack: str, files: list[Path]) -> str:
        self.done.append(f"rehearse {', '.join(map(str, files))} on {stack}")
        if isinstance(self.answer, CheckoutFailed):
            raise self.answer
        return self.answer


def jobs_of(tmp_path: Path, answer: str | CheckoutFailed) -> Any:
    new = Living(answer=answer)
    found = _stack("dev", FakeSide(), new, "", tmp_path, [].append, [Path("jobs/pytorch.yaml")])  # type: ignore[arg-type]
    assert new.done[-1] == "rehearse jobs/pytorch.yaml on dev"
    return found


def test_jobs_are_rehearsed_on_the_head_with_the_price_of_their_machines(tmp_path: Path) -> None:
    found = jobs_of(tmp_path, rehearsed())
    assert [job.model_dump() for job in found.jobs] == [
        {
            "title": "TrainJob training/pytorch",
            "source": "jobs/pytorch.yaml",
            "verdict": "runs",
            "why": "",
            "hourly": "116.96",
        }
    ]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (CheckoutFailed("no Go"), "no Go"),
        ("{", Says("not", "JSON", "1")),
        (rehearsed(verdict="perhaps"), Says("rehearsal", "report", "ValidationError")),
    ],
)
def test_why_jobs_could_not_be_rehearsed_is_said(tmp_path: Path, answer: str | CheckoutFailed, problem: str) -> None:
    found = jobs_of(tmp_path, answer)
    assert (found.jobs, found.jobs_problem) == ([], problem)


def test_a_price_that_is_not_known_is_no_price(tmp_path: Path) -> None:
    found = jobs_of(tmp_path, rehearsed(machines=[{"hourly": None}, {"hourly": "1"}]))
    assert found.jobs[0].hourly is None


def test_a_pattern_without_files_or_out_of_the_project_is_refused(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    for name in ("b.yaml", "a.yaml"):
        (tmp_path / "jobs" / name).touch()
    assert _matching(tmp_path, ["jobs/*.yaml", "jobs/a.yaml"]) == [Path("jobs/a.yaml"), Path("jobs/b.yaml")]
    for pattern in ("nothing/*.yaml", "../*.yaml", "/etc/*"):
        with pytest.raises(InputError, match=f"--jobs is {re.escape(repr(pattern))}"):
            _matching(tmp_path, [pattern])
