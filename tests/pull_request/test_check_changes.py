"""What of a change touches how it is judged."""

from __future__ import annotations

from gpucluster.pull_request.check_changes import touched


def test_files_are_named_by_kind_and_others_are_left_out() -> None:
    assert touched(
        [
            "stacks/specs/trial.yaml",
            "README.md",
            "policies/rules/budget/__init__.py",
            "infra/policies/pack.py",
            "PulumiPolicy.yaml",
            "cost/prices/aws.csv",
            "my-prices-2026.csv",
            ".github/workflows/preview.yml",
            ".gitlab-ci.yml",
            ".ci/run",
            "requirements.lock",
            "app/requirements-dev.txt",
            "package-lock.json",
            "pyproject.toml",
            "cost/estimate.py",
            "sandbox/run.py",
            "pull_request/judgement.py",
            "Makefile",
        ]
    ) == {
        "policies": ["PulumiPolicy.yaml", "infra/policies/pack.py", "policies/rules/budget/__init__.py"],
        "prices": ["cost/prices/aws.csv", "my-prices-2026.csv"],
        "workflows": [".ci/run", ".github/workflows/preview.yml", ".gitlab-ci.yml"],
        "the lock": ["app/requirements-dev.txt", "package-lock.json", "pyproject.toml", "requirements.lock"],
        "the check itself": ["Makefile", "cost/estimate.py", "pull_request/judgement.py", "sandbox/run.py"],
    }


def test_a_change_that_touches_none_of_it_names_nothing() -> None:
    assert touched(["stacks/specs/trial.yaml", "docs/policies.md", "components/aws/lustre.py"]) == {}
