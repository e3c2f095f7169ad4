"""Writes docs/reference/pull-request-example.md: an example of the comment on a pull request; needs the engine.

A copy of the project gets the changes below, uncommitted, and `gpucluster guardrails pr-check`
runs there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from gpucluster.checkout import python_path
from gpucluster.operate.pull_request.revisions import Repository

ROOT: Final = Path(__file__).parents[2]
_NOWHERE: Final = "0" * 40
"""Placeholder for the base commit, which differs in every copy."""


@dataclass(frozen=True, kw_only=True)
class Seed:
    """One change: description, file, and the text before and after."""

    what: str
    file: str
    old: str
    new: str


SEEDS: Final = (
    Seed(what="twice the nodes", file="stacks/specs/trial.yaml", old="nodes: 4 ", new="nodes: 8 "),
    Seed(
        what="shared storage that is made for EFA, which no file system becomes later",
        file="stacks/specs/trial.yaml",
        old="    gb_per_s: 3\n",
        new="    gb_per_s: 3\n    fabric: true\n",
    ),
    Seed(
        what="the file system without its owner",
        file="components/aws/storage/storage.py",
        old='storage_type="SSD",',
        new='storage_type="SSD",\n        tags={"owner": ""},',
    ),
    Seed(
        what="training nodes in two zones",
        file="components/aws/pools/training_pool.py",
        old="subnet_ids=[subnet_id],",
        new="subnet_ids=subnet_id,",
    ),
    Seed(
        what="the subnets of both zones for them",
        file="components/aws/cluster.py",
        old="subnet_id=self._network.gpu_subnet_id,",
        new="subnet_id=[self._network.gpu_subnet_id, self._network.cluster_subnet_ids[1]],",
    ),
    Seed(
        what="a cluster API that is open to everybody",
        file="components/aws/control_plane.py",
        old="public_access_cidrs=list(access.public_cidrs) or None,",
        new='public_access_cidrs=["0.0.0.0/0"],',
    ),
)


def comment_on(seeds: tuple[Seed, ...], stacks: tuple[str, ...], folder: Path) -> str:
    """The comment on a pull request with these changes of the working tree. folder: an empty one."""
    (folder / "scratch").mkdir()
    source = Repository.around(ROOT, folder / "scratch")
    copy = folder / "copy"
    source.export(source.head(source.base("HEAD")), copy)
    (copy / ".venv").symlink_to(Path(sys.prefix), target_is_directory=True)
    author = ("-c", "user.name=Example", "-c", "user.email=example@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "init", "--quiet"], cwd=copy, check=True)
    (copy / ".git/info/exclude").write_text(".venv\n")  # .gitignore lists it as a folder, but here it is a link
    for command in (["add", "--all"], [*author, "commit", "--quiet", "--message", "base"]):
        subprocess.run(["git", *command], cwd=copy, check=True)
    base = subprocess.run(["git", "rev-parse", "HEAD"], cwd=copy, check=True, capture_output=True, text=True).stdout
    for seed in seeds:
        file = copy / seed.file
        text = file.read_text(encoding="utf-8")
        if seed.old not in text:
            raise click.ClickException(f"{seed.file} has no {seed.old!r}: write the change {seed.what!r} again")
        file.write_text(text.replace(seed.old, seed.new, 1), encoding="utf-8")
    args = ["--base", "HEAD", *(arg for stack in stacks for arg in ("--stack", stack))]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "PR_CHECK_"))}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gpucluster", "guardrails", "pr-check", *args],
        cwd=copy,
        env={**kept, "PYTHONPATH": python_path(copy)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1, 2) or not done.stdout:
        raise click.ClickException(f"pr-check ended with {done.returncode}")
    return done.stdout.replace(base[:12], _NOWHERE[:12])


def page() -> str:
    """The page with the example."""
    changes = "\n".join(f"- {seed.what} (`{seed.file}`)" for seed in SEEDS)
    with tempfile.TemporaryDirectory(prefix="pr-example-", ignore_cleanup_errors=True) as folder:
        comment = comment_on(SEEDS, ("aws-trial", "azure-trial", "gcp-trial"), Path(folder))
    return (
        "# An example of the comment on a pull request\n\n"
        "Written by `make docs`, which makes these changes in a copy of the project and runs `make pr-check` there:\n\n"
        f"{changes}\n\n"
        "What [the check](../plan/pull-request-check.md) writes of it:\n\n---\n\n"
        f"{comment}"
    )
