"""Projects on the real engine, previewed with the pack against the simulated clouds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

import gpucluster.policies

PACK = Path(gpucluster.policies.__file__).parent
_FINDING = re.compile(r"^\s+- \[(\w+)\] \[severity: \w+\]\s+(\S+)\s+\((.*)\)$", re.MULTILINE)

Finding = tuple[str, str, str]
"""Level, policy, resource."""


def pulumi(folder: Path, *arguments: str) -> tuple[int, str]:
    """Exit code and output of `gpucluster sandbox pulumi`."""
    command = [sys.executable, "-m", "gpucluster", "sandbox", "pulumi", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


def previewed(folder: Path, stack: str, *arguments: str, pack: Path = PACK) -> tuple[int, list[Finding], str]:
    """Exit code, findings and output of a preview with a pack."""
    code, output = pulumi(folder, "preview", "--policy-pack", str(pack), "--stack", stack, *arguments)
    return code, findings_in(output), output


def findings_in(output: str) -> list[Finding]:
    return _FINDING.findall(output)


class Seeded:
    """A project of its own, outside the checkout, with the training pool of a cloud in stack `test`."""

    def __init__(self, folder: Path, cloud: str) -> None:
        here = Path(__file__).parent
        for source, name in (
            (here / "laid.py", "laid.py"),
            (here / "seeded" / "__main__.py", "__main__.py"),
            (here / "seeded" / f"{cloud}.yaml", "cluster.yaml"),
        ):
            shutil.copy(source, folder / name)
        written = yaml.safe_load((folder / "cluster.yaml").read_text())
        runtime = {"name": "python", "options": {"virtualenv": sys.prefix}}
        (folder / "Pulumi.yaml").write_text(json.dumps({"name": "pool", "runtime": runtime}))
        (folder / "Pulumi.test.yaml").write_text(json.dumps({"config": written["config"]}))
        self.folder = folder
        self.stopping = {name: of for name, of in written["mistakes"].items() if "rule" in of}

    def pulumi(self, *arguments: str) -> tuple[int, str]:
        return pulumi(self.folder, *arguments, "--stack", "test")

    def preview(self, *mistakes: str, pack: Path = PACK) -> tuple[int, list[Finding], str]:
        """Each mistake is in a cluster of its own, by whose name names start if there are several."""
        return previewed(self.folder, "test", "-c", f"pool:mistake={' '.join(mistakes)}", pack=pack)

    def assert_told(self, findings: list[Finding], output: str) -> None:
        """Each mistake is stopped by its own rule alone, with what it found, why that stops and what to do instead."""
        told = {
            ("mandatory", of["rule"], of["resource"].replace(": ", f": {name}-")): of["what"]
            for name, of in self.stopping.items()
        }
        stopping = [finding for finding in findings if finding[0] == "mandatory"]
        assert {rule for _, rule, _ in stopping} == {rule for _, rule, _ in told}, output
        _, *parts = map(str, _FINDING.split(output))
        # Finding -> what stands below it, up to the next one.
        said = {(parts[at], parts[at + 1], parts[at + 2]): parts[at + 3] for at in range(0, len(parts), 4)}
        for (_, rule, resource), what in told.items():
            # One finding has all resources of a rule for the stack; a rule for single resources has one for each.
            texts = [f"{subject}{text}" for (_, policy, subject), text in said.items() if policy == rule]
            assert [text for text in texts if what in text and resource.partition(": ")[2] in text], output
            of_the_rule = "".join(texts)
            assert "          why: " in of_the_rule
            assert "          fix: " in of_the_rule
