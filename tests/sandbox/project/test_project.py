"""The project around a folder and the sandbox's files in it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.errors import InputError
from gpucluster.sandbox.project.environment import environment
from gpucluster.sandbox.project.project import Project, find_project
from gpucluster.sandbox.project.stacks import private_config, project_for_init
from tests.says import Says


def project_in(folder: Path, text: str = "name: small\nruntime: python\n") -> Project:
    (folder / "Pulumi.yaml").write_text(text)
    found = find_project(folder)
    assert found is not None
    return found


def test_the_nearest_project_upward_is_found(tmp_path: Path) -> None:
    project_in(tmp_path, "name: outer\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    outer = find_project(inner)
    assert outer is not None and outer.name == "outer"
    assert project_in(tmp_path / "a", "name: inner\n").name == "inner"


def test_outside_a_project_the_user_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["sandbox", "pulumi", "preview"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == Says("error", "Pulumi.yaml", tmp_path, "--cwd")


def test_stack_files_and_the_virtual_environment_are_where_pulumi_yaml_says(tmp_path: Path) -> None:
    text = "name: p\nstackConfigDir: stacks\nruntime: {name: python, options: {virtualenv: .venv}}\n"
    project = project_in(tmp_path, text)
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.dev.yaml").touch()
    assert project.stacks() == ["dev"]
    assert project.stack_file("dev") == tmp_path / "stacks" / "Pulumi.dev.yaml"
    assert project.virtualenv == tmp_path / ".venv"


@pytest.mark.parametrize(
    ("runtime", "language"), [("runtime: yaml\n", "yaml"), ("runtime: {name: python}\n", "python"), ("", "")]
)
def test_a_project_says_in_which_language_its_program_is(tmp_path: Path, runtime: str, language: str) -> None:
    assert project_in(tmp_path, f"name: p\n{runtime}").runtime == language


@pytest.mark.parametrize(("text", "message"), [("a: [", "line 1: not YAML"), ("runtime: python", "name is missing")])
def test_a_broken_project_file_is_explained(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        print(project_in(tmp_path, text).name)


def test_the_store_is_private_and_ignored_by_git(tmp_path: Path) -> None:
    store = project_in(tmp_path).store
    store.prepare()
    first = store.passphrase.read_text()
    assert len(first) == 64
    assert store.passphrase.read_text() == first
    assert store.passphrase.stat().st_mode & 0o777 == 0o600
    assert store.root.stat().st_mode & 0o777 == 0o700
    assert (store.root / ".gitignore").read_text() == "*\n"


def test_every_folder_of_the_store_is_private_whatever_the_umask_and_the_mode_of_its_root(tmp_path: Path) -> None:
    store = project_in(tmp_path).store
    before = os.umask(0)
    try:
        store.prepare()
    finally:
        os.umask(before)
    assert {folder.name: folder.stat().st_mode & 0o777 for folder in store.root.iterdir() if folder.is_dir()} == {
        folder.name: 0o700 for folder in (store.state, store.home, store.user, store.stacks, store.copies)
    }


def test_a_path_that_is_no_utf_8_is_named(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"b\xff")
    folder.mkdir()
    with pytest.raises(InputError, match=r"the path '.*/b.udcff' is no UTF-8") as refused:
        project_in(folder)
    assert len(str(refused.value).splitlines()) == 1


def test_the_environment_is_an_allow_list(tmp_path: Path) -> None:
    store = project_in(tmp_path).store
    store.prepare()
    caller = {
        "PATH": "/bin",
        "LANG": "C",
        "NO_COLOR": "1",
        "HOME": "/home/me",
        "AWS_SECRET_ACCESS_KEY": "k",
        "GOOGLE_CREDENTIALS": "k",
        "AZURE_CLIENT_SECRET": "k",
        "KUBECONFIG": "k",
        "GITHUB_TOKEN": "k",
        "PULUMI_ACCESS_TOKEN": "k",
        "PULUMI_BACKEND_URL": "https://real",
        "PULUMI_CONFIG_PASSPHRASE": "real",
        "PULUMI_HOME": "/real",
        "HTTPS_PROXY": "http://user:secret@proxy",
        "GPUCLUSTER_CACHE": "/cache",
    }
    assert environment(caller, store) == {
        "PATH": "/bin",
        "LANG": "C",
        "NO_COLOR": "1",
        "HOME": str(store.user),
        "GPUCLUSTER_CACHE": environment({}, store)["GPUCLUSTER_CACHE"],
        "PULUMI_HOME": str(store.home),
        "PULUMI_BACKEND_URL": f"file://{store.state}",
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(store.passphrase),
        "GOGC": "400",
        "PULUMI_SKIP_UPDATE_CHECK": "1",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def test_the_private_configuration_has_the_sandbox_s_own_encryption(tmp_path: Path) -> None:
    import yaml

    project = project_in(tmp_path)
    project.store.prepare()
    (project.store.stacks / "Pulumi.dev.yaml").write_text("encryptionsalt: own\n")
    source = tmp_path / "Pulumi.dev.yaml"
    source.write_text(
        "encryptionsalt: real\nsecretsprovider: awskms://key\nconfig:\n"
        "  a:plain: 1\n  a:secret: {secure: x}\n  a:deep: {list: [{secure: y}, z]}\n"
    )
    target = tmp_path / "private.yaml"
    assert private_config(project, "dev", source, target) == ["a:secret", "a:deep.list[0]"]
    hidden = "not readable in the sandbox"
    assert yaml.safe_load(target.read_text()) == {
        "encryptionsalt": "own",
        "config": {"a:plain": 1, "a:secret": hidden, "a:deep": {"list": [hidden, "z"]}},
    }


def test_a_stack_without_a_file_has_an_empty_configuration(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    project.store.prepare()
    assert private_config(project, "dev", tmp_path / "none", tmp_path / "private.yaml") == []
    assert (tmp_path / "private.yaml").read_text() == "{}\n"


WRITER = """
import sys
from pathlib import Path
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.project.stacks import project_for_init

for _ in range(2000):
    project_for_init(Project(Path(sys.argv[1])))
"""


def test_the_bare_project_is_whole_whenever_another_run_reads_it(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    project.store.prepare()
    file = project_for_init(project) / "Pulumi.yaml"
    whole, seen = file.read_text(), set[str]()
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(project.file)])
    while writer.poll() is None:
        seen.add(file.read_text())
    assert (writer.returncode, seen) == (0, {whole})


def test_first_runs_at_once_agree_on_the_passphrase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = project_in(tmp_path).store
    store.prepare()
    monkeypatch.setattr("secrets.token_hex", lambda _: time.sleep(0.1) or str(time.monotonic_ns()))
    with ThreadPoolExecutor(8) as pool:
        read = [pool.submit(lambda: store.passphrase.read_text()) for _ in range(8)]
    assert {each.result() for each in read} == {store.passphrase.read_text()}


def test_where_nothing_can_be_written_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = project_in(tmp_path).store
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=0))
    with pytest.raises(InputError, match=r"has 0.0 MB free, and a command needs 50"):
        store.prepare()
    assert not store.root.exists()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_READONLY, " cannot be used now: "),
        (sqlite3.SQLITE_FULL, " cannot be used now: "),
        (
            sqlite3.SQLITE_CORRUPT,
            " is damaged (x); `gpucluster sandbox recover` repairs it, `gpucluster sandbox reset` forgets everything",
        ),
    ],
)
def test_of_the_errors_of_a_ledger_only_damage_leads_to_a_reset(tmp_path: Path, code: int, said: str) -> None:
    store = project_in(tmp_path).store
    store.prepare()
    error = sqlite3.OperationalError("x")
    error.sqlite_errorcode = code
    error.sqlite_errorname = next(name for name in vars(sqlite3) if vars(sqlite3)[name] is code)
    with pytest.raises(InputError) as raised, store.open_ledger():
        raise error
    assert str(raised.value).startswith(f"{store.ledger}{said}")
    assert ("reset" in str(raised.value)) == ("damaged" in said)
