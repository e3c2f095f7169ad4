"""What of a change touches how it is judged."""

from __future__ import annotations

from fnmatch import fnmatch

import pytest

from gpucluster.operate.pull_request.judge import _KINDS, touched

FILES = {
    "policies": ["policies/rules/a.py", "infra/policies/pack.py", "PulumiPolicy.yaml", "infra/PulumiPolicy.yaml",
                 "policies/requirements.txt", "policies/prices.csv"],
    "prices": ["cost/prices/aws.csv", "cost/prices/README.md", "my-prices-2026.csv", "teams/prices.csv"],
    "workflows": [".github/workflows/preview.yml", ".gitlab-ci.yml", "ci/run", ".ci/run"],
    "the lock": ["requirements.lock", "app/poetry.lock", "requirements.txt", "app/requirements-dev.txt",
                 "package-lock.json", "web/package-lock.json", "yarn.lock", "web/yarn.lock", "pnpm-lock.yaml",
                 "web/pnpm-lock.yaml", "pyproject.toml", "package.json"],
    "the check itself": ["cost/estimate/estimate.py", "gpucluster/core/program/values.py", "sandbox/run/run.py",
                         "gpucluster/operate/pull_request/judgement.py", "Makefile"],
    "": ["stacks/specs/trial.yaml", "README.md", "docs/policies.md", "components/aws/planning/storage.py", "prices.md",
         "app/pyproject.toml", "app/Makefile", "app/.github/a.yml", "app/cost/a.py"],
}  # fmt: skip
"""Kind -> files of it; those of "" are of none."""


@pytest.mark.parametrize(("kind", "file"), [(kind, file) for kind, files in FILES.items() for file in files])
def test_a_file_is_of_the_first_kind_that_has_a_pattern_for_it(kind: str, file: str) -> None:
    assert touched([file]) == ({kind: [file]} if kind else {})


def test_each_pattern_is_needed_by_a_file() -> None:
    """A pattern without which no file of the table changes its kind is held by none of them."""
    patterns = [(kind, one) for kind, those in _KINDS.items() for one in those]
    matched = {(kind, one) for kind, one in patterns for file in FILES[kind] if fnmatch(file, one)}
    assert set(patterns) - matched == set()


@pytest.mark.parametrize("file", ["acme/rules/a.py", "acme/pack.yaml", "settings.json"])
def test_files_of_the_pack_and_its_settings_are_policies(file: str) -> None:
    assert touched([file], ("acme", "settings.json")) == {"policies": [file]}
    assert touched([file]) == {}


def test_kinds_and_files_are_in_order() -> None:
    found = touched([file for files in reversed(FILES.values()) for file in reversed(files)])
    assert list(found.items()) == [(kind, sorted(files)) for kind, files in FILES.items() if kind]
