"""What `reap`, `pause` and `resume` check before they change a stack, with a `pulumi` and a `kubectl` that answer."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.cli import main

Run = Callable[..., tuple[int, str, list[str]]]
ROOT = Path(__file__).parents[4]
SERVER = "https://one.example"
ALLOWED = '{"status": {"allowed": true}}'
PULUMI = """
import json, pathlib, sys
here, words = pathlib.Path({folder!r}), sys.argv[1:]
with (here / "asked").open("a") as asked:
    print(*words, file=asked)
file = here / ("outputs.json" if words[:2] == ["stack", "output"] else "state.json")
if words[0] in ("destroy", "up"):
    (here / "state.json").write_text(json.dumps({{"deployment": {{}}}}))
else:
    print(file.read_text())
"""
KUBECTL = """
import pathlib, sys
pathlib.Path({folder!r}, "review").write_text(sys.stdin.read())
if {said!r}:
    sys.exit({said!r})
print({answer!r})
"""


def state(*types: str) -> dict[str, Any]:
    """Of a stack whose time has ended."""
    begun, urn = (datetime.now(UTC) - timedelta(days=20)).isoformat(), "urn:pulumi:s::p::"
    resources: list[dict[str, Any]] = [
        {"urn": f"{urn}pulumi:pulumi:Stack::p-s", "type": "pulumi:pulumi:Stack", "custom": False, "created": begun},
        {
            "urn": f"{urn}x:y:Cluster::trial",
            "type": "x:y:Cluster",
            "custom": False,
            "sourcePosition": "project:///__main__.py#1",
            "outputs": {"durationDays": 14},
        },
        *({"urn": f"{urn}{one}::a", "type": one, "custom": True, "id": "a", "inputs": {}} for one in types),
    ]
    resources[0]["outputs"] = {"begun": begun}
    return {"version": 3, "deployment": {"resources": resources}}


STANDING = state("aws:ec2/vpc:Vpc", "kubernetes:core/v1:Namespace")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run(*words, kubectl=..., said=..., programs=..., found=...)`: exit code, text, and what changed the stack."""
    shutil.copy(ROOT / "Pulumi.yaml", tmp_path)
    shutil.copytree(ROOT / "stacks", tmp_path / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    (folder := tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(folder))
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))

    def put(name: str, text: str) -> None:
        (folder / name).write_text(f"#!{sys.executable}{text}\n")
        (folder / name).chmod(0o755)

    def ready(
        *words: str,
        said: str = "",
        answer: str = ALLOWED,
        command: str = "kubelogin",
        programs: tuple[str, ...] = ("kubectl", "kubelogin", "az"),
        found: dict[str, Any] = STANDING,
        outputs: bool = True,
    ) -> tuple[int, str, list[str]]:
        kubeconfig = {
            "clusters": [{"name": "c", "cluster": {"server": SERVER}}],
            "users": [{"name": "c", "user": {"exec": {"command": command}}}],
        }
        (tmp_path / "outputs.json").write_text(json.dumps({"kubeconfig": json.dumps(kubeconfig)} if outputs else {}))
        (tmp_path / "state.json").write_text(json.dumps(found))
        put("pulumi", PULUMI.format(folder=str(tmp_path)))
        for name in programs:
            kubectl = KUBECTL.format(folder=str(tmp_path), said=said, answer=answer)
            put(name, kubectl if name == "kubectl" else "\n")
        done = CliRunner().invoke(main, [*words])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        asked = (tmp_path / "asked").read_text().splitlines()
        return done.exit_code, done.output, [line for line in asked if line.split()[0] in ("destroy", "up")]

    return ready


REAP = ("reap", "--stack", "old", "--yes")
UNTOUCHED = "error: stack old, of which nothing was changed: "


@pytest.mark.parametrize("words", [REAP, ("resume", "--stack", "old", "--yes")])
def test_a_runner_without_the_programs_of_the_kubeconfig_changes_nothing(run: Run, words: tuple[str, ...]) -> None:
    code, text, changed = run(*words, programs=())
    assert (code, changed) == (2, [])
    assert text[text.index("error") :] == (
        f"{UNTOUCHED}2 problems\n"
        "  command: kubelogin is not on PATH; the kubeconfig calls it for a token; install it: az aks install-cli\n"
        "  command: az is not on PATH; kubelogin calls it for a token; install it: "
        "learn.microsoft.com/cli/azure/install-azure-cli\n"
    )


@pytest.mark.parametrize(
    ("said", "answer", "line"),
    [
        ("Unable to connect to the server: dial tcp 1.2.3.4:443: i/o timeout", "",
         f"range: {SERVER} does not answer; add your range to access.cidrs and run `pulumi up`, or, if access is "
         "private, connect your VPN, bastion or machine first"),
        ("Unable to connect to the server: getting credentials: exec: executable kubelogin failed", "",
         "login: kubelogin returns no token; log in by `az login`: Unable to connect to the server: getting "
         "credentials: exec: executable kubelogin failed"),
        ("", '{"status": {"allowed": false}}',
         "role: you are logged in, but may not change the software in the cluster, as only its admins and the identity "
         "of the last `up` may; ask an admin to add the object id of a group of yours to access.admins or "
         "access.submitters of the spec, and to run `pulumi up`"),
    ],
)  # fmt: skip
def test_a_closed_range_a_missing_login_and_a_missing_role_are_one_clear_error(
    run: Run, said: str, answer: str, line: str
) -> None:
    code, text, changed = run(*REAP, said=said, answer=answer)
    assert (code, changed) == (2, [])
    assert text[text.index("error") :] == f"{UNTOUCHED}1 problem\n  {line}\n"


def test_with_all_of_it_the_stack_is_destroyed(run: Run, tmp_path: Path) -> None:
    code, text, changed = run(*REAP)
    assert (code, changed) == (0, ["destroy --yes --skip-preview --exclude-protected --stack old"]), text
    asked = json.loads((tmp_path / "review").read_text())["spec"]["resourceAttributes"]
    assert asked == {"verb": "delete", "resource": "namespaces"}


def test_without_objects_or_outputs_no_way_to_the_cluster_is_needed(run: Run) -> None:
    for more in ({"found": state("aws:ec2/vpc:Vpc")}, {"outputs": False}):
        code, text, changed = run(*REAP, programs=(), **more)
        assert (code, len(changed)) == (0, 1), text
        Path("asked").unlink()


def test_without_kubectl_the_other_programs_are_enough(run: Run) -> None:
    code, text, changed = run(*REAP, programs=("kubelogin", "az"))
    assert (code, len(changed)) == (0, 1), text


def test_a_login_that_the_account_does_not_accept_is_said_first(run: Run) -> None:
    code, text, changed = run("reap", "--stack", "aws-trial", "--yes", found=state("aws:ec2/vpc:Vpc"))
    assert (code, changed) == (2, [])
    assert text[text.index("error") :] == (
        "error: stack aws-trial, of which nothing was changed: 1 problem\n"
        "  login: there are no AWS credentials; log in, or set AWS_PROFILE to a profile that can: `aws sso login`\n"
    )


def test_without_yes_nothing_is_checked(run: Run) -> None:
    code, text, changed = run("reap", "--stack", "old", programs=())
    assert (code, changed) == (1, [])
    assert "error" not in text
