"""`gpucluster init`, and `gpucluster check` of what it writes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.says import Says
from tests.terminal import in_terminal

GPUCLUSTER = Path(sys.executable).with_name("gpucluster")


def _run(*args: str, stdin: str = "", folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(GPUCLUSTER), *args], input=stdin, capture_output=True, text=True, timeout=60, check=False, cwd=folder
    )


def _files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def test_a_first_spec_goes_to_the_check_through_a_pipe() -> None:
    spec = _run("init", "-", "--name", "piped")
    assert (spec.returncode, spec.stderr) == (0, "")
    checked = _run("check", "-", stdin=spec.stdout)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith("cluster    piped on EKS")


def test_what_is_wrong_on_stdin_is_told_under_that_name() -> None:
    checked = _run("check", "-", stdin="")
    assert (checked.returncode, checked.stdout) == (2, "")
    assert checked.stderr.splitlines() == [
        "error: stdin: 1 problem",
        "  is empty; a spec is a mapping that starts with name: and training:; `gpucluster init` writes one",
    ]


def test_a_spec_of_another_cloud_is_checked_with_the_option_to_add(tmp_path: Path) -> None:
    spec = yaml.safe_load(_run("init", "-").stdout)
    reservation = "projects/my-project/reservations/mine"
    spec |= {"placement": {"kind": "reservation", "id": reservation}}
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(spec))
    refused = _run("check", "spec.yaml", folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.splitlines()[0] == "error: spec.yaml: 1 problem"
    assert refused.stderr.splitlines()[-2:] == [
        "error: command line: 1 problem",
        "  --cloud is missing; spec.yaml fits Google Cloud: add --cloud gcp",
    ]
    assert _run("check", "spec.yaml", "--cloud", "gcp", folder=tmp_path).returncode == 0


def test_options_write_a_project_with_a_stack_in_an_empty_folder_and_overwrite_nothing(tmp_path: Path) -> None:
    done = _run("init", "--stack", "dev", "--cloud", "gcp", "--region", "europe-west4", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "Wrote Pulumi.dev.yaml and specs/dev.yaml.\n"
        "Before `up`, replace the examples: gpucluster:project, labels, budget, access.cidrs.\n"
        "Next: gpucluster check --stack dev\n"
        "      gpucluster sandbox pulumi preview --stack dev\n"
    )
    assert _files(tmp_path) == {
        "Pulumi.yaml", "__main__.py", "Pulumi.dev.yaml", "specs/dev.yaml", "specs/schema.json",
        "specs/stack-schema.json",
    }  # fmt: skip
    head = "# yaml-language-server: $schema=specs/stack-schema.json\n"
    assert (tmp_path / "Pulumi.dev.yaml").read_text().startswith(head)
    assert (tmp_path / "specs/stack-schema.json").read_text() == _run("schema", "stack", folder=tmp_path).stdout
    assert yaml.safe_load((tmp_path / "Pulumi.dev.yaml").read_text())["config"] == {
        "gpucluster:spec": "specs/dev.yaml",
        "gpucluster:cloud": "gcp",
        "gpucluster:project": "my-project",
        "gpucluster:region": "europe-west4",
        "gpucluster:zone": "europe-west4-a",
    }
    assert (tmp_path / "specs/dev.yaml").read_text().startswith("# yaml-language-server: $schema=schema.json\n")
    (tmp_path / "Pulumi.prod.yaml").write_text("\n")
    before = {name: (tmp_path / name).read_text() for name in _files(tmp_path)}
    again = _run("init", "--stack", "dev", folder=tmp_path)
    assert (again.returncode, again.stderr) == (2, Says("specs/dev.yaml exists already", "Pulumi.dev.yaml exists"))
    second = _run("init", "mine.yaml", "--stack", "prod", "--machine", "p5.48xlarge", folder=tmp_path)
    assert (second.returncode, second.stderr) == (0, "")
    assert before.pop("Pulumi.prod.yaml") == "\n"
    assert {name: (tmp_path / name).read_text() for name in before} == before
    assert _files(tmp_path) - before.keys() == {"Pulumi.prod.yaml", "mine.yaml"}
    assert (tmp_path / "Pulumi.prod.yaml").read_text().startswith(head)
    assert (tmp_path / "mine.yaml").read_text().startswith("# yaml-language-server: $schema=specs/schema.json\n")
    assert _run("check", "--stack", "prod", folder=tmp_path).stdout == Says("on EKS", "us-east-1")


def test_a_second_stack_beside_the_schemas_of_the_first_uses_them(tmp_path: Path) -> None:
    for name in ("one", "two"):
        done = _run("init", f"clusters/{name}.yaml", "--stack", name, folder=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert (
            (tmp_path / f"clusters/{name}.yaml").read_text().startswith("# yaml-language-server: $schema=schema.json\n")
        )
        head = "# yaml-language-server: $schema=clusters/stack-schema.json\n"
        assert (tmp_path / f"Pulumi.{name}.yaml").read_text().startswith(head)
    (tmp_path / "Pulumi.three.yaml").write_text("config: {aws:region: us-east-1}\n")
    before = _files(tmp_path)
    refused = _run("init", "--stack", "three", folder=tmp_path)
    assert (refused.returncode, refused.stderr) == (2, Says("Pulumi.three.yaml exists already and is unchanged"))
    assert _files(tmp_path) == before


def test_a_stack_of_a_users_project_follows_its_folders_and_its_name(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: mine\nruntime: python\nmain: program\nstackConfigDir: stacks\n")
    (tmp_path / "program").mkdir()
    (tmp_path / "program/__main__.py").write_text("import pulumi\n")
    done = _run("init", "--stack", "dev", folder=tmp_path / "program")
    assert done.stdout == Says("does not call gpucluster.declare_stack()", "check --stack dev")
    written = (tmp_path / "stacks/Pulumi.dev.yaml").read_text()
    assert written.startswith("# yaml-language-server: $schema=../program/specs/stack-schema.json\n")
    assert yaml.safe_load(written)["config"]["mine:spec"] == "specs/dev.yaml"
    schema = json.loads((tmp_path / "program/specs/stack-schema.json").read_text())
    jsonschema.validate(yaml.safe_load(written), schema)
    assert _run("check", "--stack", "dev", folder=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--stack", "dev", "--region", "nope"], "--region is 'nope'; write an AWS region"),
        (["--stack", "a b"], "--stack is 'a b'; write 1 to 100 letters"),
        (["--zone", "us-east-1a"], "--zone is for a stack; add --stack NAME"),
        (["-", "--stack", "dev"], "PATH is -, but a stack needs its spec in a file"),
        (["../spec.yaml", "--stack", "dev"], "the spec's path is ../spec.yaml, outside the project"),
    ],
)
def test_what_can_not_be_written_is_refused_and_nothing_is_written(tmp_path: Path, args: list[str], said: str) -> None:
    done = _run("init", *args, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", Says(said))
    assert _files(tmp_path) == set()


def test_a_file_that_can_not_be_written_leaves_none_half_written(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: mine\nstackConfigDir: taken\n")
    (tmp_path / "taken").write_text("a file in the way of the folder, after the spec is written\n")
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/dev.yaml").write_text(" \n")
    done = _run("init", "--stack", "dev", folder=tmp_path)
    assert (done.returncode, done.stderr) == (2, Says("taken exists already"))
    assert _files(tmp_path) == {"Pulumi.yaml", "taken", "specs/dev.yaml"}
    assert (tmp_path / "specs/dev.yaml").read_text() == " \n"


def test_a_terminal_with_options_is_asked_nothing(tmp_path: Path) -> None:
    code, shown = in_terminal([str(GPUCLUSTER), "init", "--name", "mine"], tmp_path)
    assert (code, shown) == (0, Says("Wrote mine.yaml", "gpucluster check mine.yaml"))
    assert _files(tmp_path) == {"mine.yaml"}


@pytest.mark.parametrize(("keys", "code"), [("\x03", 130), ("\x04", 130)], ids=["Ctrl-C", "end of input"])
def test_what_ends_the_questions_leaves_no_file(tmp_path: Path, keys: str, code: int) -> None:
    answers = [("stack [trial]: ", "\n"), ("Cloud [1]: ", keys)]
    assert in_terminal([str(GPUCLUSTER), "init"], tmp_path, answers)[0] == code
    assert _files(tmp_path) == set()


@pytest.mark.slow
def test_a_terminal_is_led_from_the_place_to_the_price_to_a_stack_that_checks(tmp_path: Path) -> None:
    answers = [
        ("stack [trial]: ", "Nope\n"),
        ("error: 'Nope'; write a lower-case name", ""),
        ("stack [trial]: ", "ours\n"),
        ("Cloud [1]: ", "gcp\n"),
        ("Region [1]: ", "us-central1\n"),
        ("Zone of the GPU nodes [1]: ", "us-central1-c\n"),
        ("Machine [1]: ", "a3-megagpu-8g\n"),
        ("Google Cloud project [my-project]: ", "lab-1234\n"),
        ("8 GPUs [4]: ", "2\n"),
        ("[14d]: ", "6d\n"),
        ("[20TiB]: ", "40TiB\n"),
        ("Purchase option [1]: ", "on demand\n"),
        ("Label team", "nlp\n"),
        ("Label project", "\n"),
        ("Label cost-center", "cc-1\n"),
        ("Label environment", "\n"),
        ("Label owner", "ada\n"),
        ("[203.0.113.0/24]: ", "0.0.0.0/0\n"),
        ("opens the cluster's API to everyone", ""),
        ("[203.0.113.0/24]: ", "198.51.100.0/24\n"),
        ("Budget in USD a month", "5\n"),
        ("so every preview would fail", ""),
        ("Budget in USD a month", "900,000\n"),
    ]
    code, shown = in_terminal([str(GPUCLUSTER), "init"], tmp_path, answers, columns=120)
    assert (code, shown) == (0, Says("Wrote Pulumi.ours.yaml and specs/ours.yaml", "check --stack ours"))
    assert "replace the examples" not in shown
    rows = [line.split() for line in shown.splitlines()]
    assert [row[3].startswith("$") for row in rows if row[1:3] == ["on", "demand"]] == [True]
    assert yaml.safe_load((tmp_path / "Pulumi.ours.yaml").read_text())["config"] == {
        "gpucluster:spec": "specs/ours.yaml",
        "gpucluster:cloud": "gcp",
        "gpucluster:project": "lab-1234",
        "gpucluster:region": "us-central1",
        "gpucluster:zone": "us-central1-c",
        "gpucluster:machine": "a3-megagpu-8g",
    }
    spec = yaml.safe_load((tmp_path / "specs/ours.yaml").read_text())
    assert (spec["name"], spec["duration"], spec["purchase"]) == ("ours", "6d", {"kind": "on-demand"})
    assert (spec["training"]["nodes"], spec["storage"]["shared"]["usable_tib"]) == (2, 40)
    assert spec["labels"] == {
        "team": "nlp",
        "project": "foundation-model",
        "cost-center": "cc-1",
        "environment": "trial",
        "owner": "ada",
    }
    assert spec["budget"] == {"monthly_usd": 900_000, "on_exceed": "fail"}
    assert spec["access"] == {"kind": "public", "cidrs": ["198.51.100.0/24"]}
    checked = _run("check", "--stack", "ours", folder=tmp_path)
    assert (checked.returncode, checked.stdout) == (0, Says("ours on GKE", "a3-megagpu-8g", "us-central1-c"))
