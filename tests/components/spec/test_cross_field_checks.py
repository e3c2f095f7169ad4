"""GPUs that a spec gives to teams, against those that there are, and whom it names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gpucluster.components.shared.teams import plan_people, team_facts
from gpucluster.components.spec.cross_field_checks import share_problems
from gpucluster.components.spec.errors import InvalidSpec
from tests.components.conftest import Vary
from tests.components.told import reports

POOLS = {"training": 32, "dev": 8, "mig": 16}


def said(**teams: Mapping[str, int]) -> list[str]:
    return [str(problem) for problem in share_problems(teams, POOLS)]


def test_shares_that_fill_every_pool_are_fine() -> None:
    assert said(vision={"training": 24, "dev": 8}, speech={"training": 8, "mig": 16}, nlp={}) == []


def test_everything_that_is_wrong_with_shares_is_said_at_once() -> None:
    assert said(vision={"training": 20, "dve": 4}, speech={"training": 24, "dev": -1, "mig": 9}, nlp={"mig": 8}) == [
        "teams.vision.gpus.training is 20, but a job of this pool uses whole nodes of 8; write 16 or 24",
        "teams.vision.gpus.dve is not a pool of the cluster; allowed: training, dev, mig; did you mean dev?",
        "teams.speech.gpus.dev is -1; write a whole number of at least 0",
        "teams have 44 GPUs of the pool training together (vision 20, speech 24), but it has 32 for jobs; reduce one "
        "of them, or enlarge the pool",
        "teams have 17 GPUs of the pool mig together (speech 9, nlp 8), but it has 16 for jobs; reduce one of them, "
        "or enlarge the pool",
    ]


def test_spares_are_nobodys_share(vary: Vary) -> None:
    spec = vary(training={"nodes": 4, "spares": 2}, mig={"nodes": 1, "layout": "all-1g.10gb"})
    assert spec.pool_gpus == {"training": 32, "dev": 8, "mig": 8}


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"teams": {"Vision": {"groups": ["a"]}}}, "must not contain the name 'Vision'"),
        ({"teams": {"a-": {"groups": ["a"]}}}, "must not contain the name 'a-'"),
        ({"teams": {"vision": {"groups": []}}}, "groups is an empty list"),
        ({"teams": {"vision": {"groups": ["a", "a"]}}}, "names a twice; keep one"),
        ({"teams": {"vision": {"groups": ["a"], "gpus": {"training": 40}}}}, "have 40 GPUs of the pool training"),
        ({"teams": {"vision": {"groups": ["a"], "monthly_usd": 0}}}, "above 0"),
    ],
)
def test_a_team_that_can_not_be_is_refused(vary: Vary, changes: Mapping[str, Any], wrong: str) -> None:
    with pytest.raises(InvalidSpec, match=wrong):
        vary(**changes)


def test_nobody_has_all_rights_and_some(trial: dict[str, Any], vary: Vary) -> None:
    admins = {**trial["access"], "admins": ["ada"]}
    with pytest.raises(InvalidSpec, match=r"has ada under admins and under submitters"):
        vary(access={**admins, "submitters": ["ada"]})
    with pytest.raises(InvalidSpec, match=r"teams.vision.groups\[1\] is 'ada', which is also under access.admins"):
        vary(access=admins, teams={"vision": {"groups": ["bob", "ada"]}})


def test_a_spec_without_teams_says_nothing_of_them(vary: Vary) -> None:
    spec, planning = vary(), reports()
    people = plan_people(spec.access, spec.teams, spec.pool_gpus, planning)
    assert (people.teams, people.memberships, planning.notes) == ((), {}, [])
    assert team_facts(spec.name, spec.teams, spec.pool_gpus) == {}


@pytest.mark.parametrize(
    ("jobs", "owned"),
    [
        ({}, ()),
        ({"scheduler": "slurm"}, ("training", "dev")),
        ({"scheduler": "both", "slurm_pools": ["training"]}, ("training",)),
        ({"scheduler": "both", "slurm_pools": ["dev"]}, ("dev",)),
    ],
)
def test_each_pool_has_one_scheduler(vary: Vary, jobs: Mapping[str, Any], owned: tuple[str, ...]) -> None:
    assert vary(jobs=jobs).slurm_pools == owned


BOTH = {"scheduler": "both", "slurm_pools": ["training"]}


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"jobs": {"scheduler": "both"}}, "jobs.scheduler is 'both', but slurm_pools names none"),
        ({"jobs": {"slurm_pools": ["training"]}}, "jobs.scheduler is 'kueue', which gives every pool to Kueue"),
        (
            {"jobs": {"scheduler": "slurm", "slurm_pools": ["training"]}},
            "jobs.scheduler is 'slurm', which gives every pool to Slurm",
        ),
        (
            {"jobs": {"scheduler": "both", "slurm_pools": ["trainin"]}},
            r"slurm_pools\[0\] is 'trainin'; allowed: training, dev; did you mean training",
        ),
        ({"jobs": {"scheduler": "both", "slurm_pools": ["dev", "training"]}}, "names every pool; set jobs.scheduler"),
        (
            {"jobs": {"slurm_accounting": True}},
            "jobs.slurm_accounting is true, but no pool is Slurm's; set scheduler to slurm or both",
        ),
        ({"jobs": {"scheduler": "pbs"}}, "allowed: kueue, slurm, both"),
        (
            {"jobs": BOTH, "teams": {"vision": {"groups": ["a"], "gpus": {"training": 8}}}},
            "teams.vision.gpus.training is 8, but the pool is Slurm's",
        ),
        ({"jobs": BOTH, "fleet": {"manager": "first"}}, "the queue of a fleet is Kueue's"),
        ({"jobs": BOTH, "purchase": {"kind": "flex-start"}, "duration": "7d"}, "the pool training is Slurm's"),
    ],
)
def test_what_only_kueue_does_is_refused_for_a_pool_of_slurm(
    vary: Vary, changes: Mapping[str, Any], wrong: str
) -> None:
    with pytest.raises(InvalidSpec, match=wrong):
        vary(**changes)


def test_a_team_may_share_what_kueue_has(vary: Vary) -> None:
    assert vary(jobs=BOTH, teams={"vision": {"groups": ["a"], "gpus": {"dev": 8}}}).slurm_pools == ("training",)
