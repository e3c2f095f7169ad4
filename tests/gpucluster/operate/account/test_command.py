"""`gpucluster connect` with a `pulumi` that has outputs, and a `kubectl` that says what real ones say."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.operate.account.pulumi import Pulumi
from tests.cases import cases
from tests.says import Says

SHELL = shutil.which("sh")
CAT = shutil.which("cat")
SERVER = "https://one.example"
ALLOWED = """echo '{"status": {"allowed": true}}'"""
Run = Callable[..., tuple[int, str]]


def outputs(command: str, more: tuple[str, ...] = ()) -> dict[str, Any]:
    kubeconfig = {
        "clusters": [{"name": "c", "cluster": {"server": SERVER}}],
        "users": [{"name": "c", "user": {"exec": {"command": command, "args": ["get-token", *more]}}}],
    }
    storage = {"namespace": "training", "claim": "shared"}
    registry = {"image": "registry.example/jobs", "login": "log-in registry.example", "caches": {}}
    named = {
        "account": "000000000000",
        "clusterName": "trial-aws-trial",
        "sharedStorage": storage,
        "registry": registry,
        "logs": {"console": "https://console.example", "command": "read-logs JOB"},
    }
    return {**named, "kubeconfig": json.dumps(kubeconfig)}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run(*args, kubectl=..., command=..., installed=...)`: exit code and text, with these programs alone on PATH."""

    def connect(
        *args: str,
        kubectl: str | None = ALLOWED,
        command: str = "aws",
        more: tuple[str, ...] = (),
        installed: tuple[str, ...] = ("aws",),
        pulumi: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> tuple[int, str]:
        (tmp_path / "outputs.json").write_text(json.dumps(outputs(command, more)))
        (folder := tmp_path / "bin").mkdir(exist_ok=True)
        texts = {"pulumi": pulumi or f'echo "$@" >> {tmp_path}/asked; {CAT} {tmp_path}/outputs.json'}
        texts |= dict.fromkeys(installed, "") | ({} if kubectl is None else {"kubectl": kubectl})
        for name, text in texts.items():
            (folder / name).write_text(f"#!{SHELL}\n{text}\n")
            (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))
        monkeypatch.delenv("AWS_PROFILE", raising=False)
        for name, value in (environment or {}).items():
            monkeypatch.setenv(name, value)
        done = CliRunner().invoke(main, ["connect", "--kubeconfig", str(tmp_path / "config"), *args])
        return done.exit_code, done.output.replace(str(tmp_path), "")

    return connect


def test_a_cluster_with_slurm_has_a_login_node(run: Run, tmp_path: Path) -> None:
    shell = "kubectl --namespace slurm exec --stdin --tty deployment/login -- runuser --login submitter"
    (tmp_path / "slurm.json").write_text(json.dumps({**outputs("aws"), "slurmLogin": shell}))
    code, text = run("--stack", "aws-trial", pulumi=f"{CAT} {tmp_path}/slurm.json")
    assert (code, f"Login node of Slurm:\n  {shell}\n" in text) == (0, True), text
    assert "Slurm" not in run("--stack", "aws-trial")[1]


def test_a_context_is_written_and_the_cluster_answers(run: Run, tmp_path: Path) -> None:
    assert run("--stack", "aws-trial") == (
        0,
        "Wrote context trial-aws-trial to /config: the current one.\n"
        "The cluster answers and accepts your jobs in namespace training.\n"
        "Images of jobs:\n"
        "  log-in registry.example\n"
        "  docker push registry.example/jobs:TAG\n"
        "Logs of a job (replace JOB by its name):\n  read-logs JOB\n",
    )
    assert (tmp_path / "asked").read_text() == "stack output --json --non-interactive --stack aws-trial\n"
    found = yaml.safe_load((tmp_path / "config").read_text())
    assert found["users"] == [{"name": "trial-aws-trial", "user": {"exec": {"command": "aws", "args": ["get-token"]}}}]


def test_another_name_beside_a_current_context_and_the_profile_of_the_login(run: Run, tmp_path: Path) -> None:
    assert run()[0] == 0
    code, text = run("--context", "h100", environment={"AWS_PROFILE": "research"})
    assert (code, text.splitlines()[0]) == (0, Says("h100", "/config", "kubectl config use-context h100", "--use"))
    found = yaml.safe_load((tmp_path / "config").read_text())
    assert found["current-context"] == "trial-aws-trial"
    assert found["users"][1]["user"]["exec"]["env"] == [{"name": "AWS_PROFILE", "value": "research"}]


def test_the_role_of_those_who_run_up_is_nobody_elses(run: Run, tmp_path: Path) -> None:
    """Outputs of an earlier release name it."""
    more = ("--role-arn", "arn:aws:iam::123456789012:role/up", "--output", "json")
    assert run(more=more)[0] == 0
    found = yaml.safe_load((tmp_path / "config").read_text())
    assert found["users"][0]["user"]["exec"]["args"] == ["get-token", "--output", "json"]


RIGHTS = "to access.admins or access.submitters of the spec, and to run `pulumi up`"
NAMED = f"ask an admin to add the ARN of your IAM role or user {RIGHTS}"


@cases
def test_what_is_missing_is_said_with_what_to_do(run: Run, said: str, missing: str) -> None:
    code, text = run(kubectl=f"while read -r l; do :; done\necho '{said}' >&2\nexit 1")
    assert (code, text.splitlines()[1:]) == (1, [f"missing: {missing}"])


def test_a_right_that_is_missing_is_named(run: Run) -> None:
    code, text = run(kubectl="""echo '{"status": {"allowed": false}}'""")
    assert (code, text.splitlines()[1:]) == (
        1,
        [Says("missing", "not", NAMED, "kubectl config set-context --current --namespace NAME")],
    )


@cases
def test_every_command_that_is_not_installed_is_named_at_once(run: Run, command: str, lines: list[str]) -> None:
    code, text = run(kubectl=None, command=command, installed=())
    kubectl = (
        "kubectl is not on PATH; the commands that follow `up` need it; install it: kubernetes.io/docs/tasks/tools"
    )
    assert (code, text.splitlines()[1:]) == (1, [f"missing: command: {line}" for line in (kubectl, *lines)])


def test_a_stack_that_can_not_be_read_writes_nothing(run: Run, tmp_path: Path) -> None:
    assert run("--stack", "aws-tria", pulumi="echo \"error: no stack named 'aws-tria' found\" >&2; exit 255") == (
        2,
        "error: stack aws-tria: 1 problem\n  `pulumi stack output`: no stack named 'aws-tria' found\n",
    )
    assert run(pulumi='echo \'{"clusterName": "trial"}\'') == (
        2,
        "error: the selected stack: 1 problem\n  has no output account, kubeconfig, sharedStorage; has it been built? "
        "`pulumi up` adds the missing outputs of a stack of an earlier release\n",
    )
    assert not (tmp_path / "config").exists()


def answered(tmp_path: Path, **changes: Any) -> str:
    """A `pulumi` whose outputs are others."""
    (tmp_path / "other.json").write_text(json.dumps({**outputs("aws"), **changes}))
    return f"{CAT} {tmp_path}/other.json"


def test_a_secret_output_is_named_with_the_command_that_prints_it(run: Run, tmp_path: Path) -> None:
    code, text = run("--stack", "mine", pulumi=answered(tmp_path, kubeconfig="[secret]"))
    assert code == 2
    assert "stack mine" in text
    assert "output kubeconfig is secret" in text
    assert "`pulumi stack output kubeconfig --show-secrets --stack mine`" in text
    assert not (tmp_path / "config").exists()


@cases
def test_outputs_of_another_shape_are_named_by_their_field(
    run: Run, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    code, text = run(pulumi=answered(tmp_path, **changes))
    assert code == 2
    assert said in text
    assert "--stack" in text
    assert not (tmp_path / "config").exists()


@pytest.mark.parametrize(
    ("answer", "said"), [("", "is empty"), ("echo warning: new", "'warning: new'"), ("echo '[]'", "list")]
)
def test_an_answer_of_pulumi_that_is_none_is_quoted(run: Run, answer: str, said: str) -> None:
    code, text = run("--stack", "dev", pulumi=answer or "true")
    assert code == 2
    assert "`pulumi stack output` of stack dev" in text
    assert said in text


def test_a_pulumi_that_can_not_be_run_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    assert run()[0] == 0
    (tmp_path / "bin/pulumi").write_bytes(b"\x7fELF no program")
    done = CliRunner().invoke(main, ["connect", "--kubeconfig", str(tmp_path / "config")])
    assert done.exit_code == 2
    assert f"{tmp_path}/bin/pulumi cannot be run" in done.output


@pytest.mark.parametrize(
    "answer", ["true", "echo no", "echo '[]'", "echo '{}'", """echo '{"status": {"allowed": "so"}}'"""]
)
def test_an_answer_of_kubectl_that_is_none_is_the_users_to_mend(run: Run, answer: str) -> None:
    code, text = run(kubectl=answer)
    assert code == 2
    assert "`kubectl create --raw" in text
    assert "on PATH" in text


def test_without_pulumi_it_is_said_and_the_sandbox_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    done = CliRunner().invoke(main, ["connect"])
    assert (done.exit_code, done.output) == (
        2,
        "error: pulumi is not on PATH, but is needed to read the outputs of a stack: install it "
        "(pulumi.com/docs/install); for a cluster of the sandbox, use `gpucluster sandbox connect`\n",
    )


def test_for_a_cluster_of_the_sandbox_the_push_to_its_registry_is_told_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    entry = SimpleNamespace(name="trial-aws-trial", urn="urn:pulumi:aws-trial::gpucluster::eks::cluster")
    server = SimpleNamespace(kubeconfig=lambda: json.loads(outputs("aws")["kubeconfig"]))
    living = SimpleNamespace(server=server, kubectl="kubectl")
    monkeypatch.setattr("gpucluster.sandbox.project.project.current_project", lambda: SimpleNamespace(root=tmp_path))
    monkeypatch.setattr("gpucluster.sandbox.state.selected_cluster.cluster_of", lambda *_, **__: entry)
    monkeypatch.setattr("gpucluster.sandbox.live.cluster.open_cluster", lambda *_: nullcontext(living))
    said = {("stack", "output", "--json", "aws-trial"): json.dumps(outputs("aws"))}
    monkeypatch.setattr(Pulumi, "read", lambda _, *words, stack: said[(*words, stack)])
    for name, text in {"kubectl": ALLOWED, "aws": ""}.items():
        (tmp_path / name).write_text(f"#!{SHELL}\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(main, ["sandbox", "connect", "--kubeconfig", str(tmp_path / "config")])
    assert (done.exit_code, done.output.splitlines()[-3:]) == (
        0,
        ["Images of jobs:", "  log-in registry.example", "  docker push registry.example/jobs:TAG"],
    ), done.output
