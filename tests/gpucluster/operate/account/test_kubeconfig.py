"""A context more in a file that has others."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.errors import InputError
from gpucluster.operate.account.kubeconfig import Entry, default_file, edit, with_context
from tests.says import Says

CONFIG = {
    "clusters": [{"name": "given", "cluster": {"server": "https://one.example"}}],
    "users": [{"name": "given", "user": {"exec": {"command": "aws"}}}],
}
OTHER = """\
apiVersion: v1
kind: Config
preferences: {}
current-context: work
clusters: [{name: work, cluster: {server: https://work.example, insecure-skip-tls-verify: true}}]
contexts: [{name: work, context: {cluster: work, user: ada}}]
users: [{name: ada, user: {auth-provider: {config: {expiry: 2026-11-23T10:00:00Z}}}}]
"""
NEW: dict[str, Any] = {
    "clusters": {"name": "trial", "cluster": {"server": "https://one.example"}},
    "contexts": {
        "name": "trial",
        "context": {
            "cluster": "trial",
            "user": "trial",
            "namespace": "training",
            "extensions": [{"name": "gpucluster", "extension": {"account": "1", "cluster": "trial"}}],
        },
    },
    "users": {"name": "trial", "user": {"exec": {"command": "aws"}}},
}


def entry(name: str = "trial", *, account: str = "1", use: bool = False) -> Entry:
    mark = {"account": account, "cluster": "trial"}
    return Entry(name=name, mark=mark, namespace="training", kubeconfig=CONFIG, use=use)


def write(file: Path, one: Entry) -> None:
    edit(file, partial(with_context, entry=one))


def test_a_first_file_is_readable_by_its_user_alone_and_its_context_is_current(tmp_path: Path) -> None:
    file = tmp_path / ".kube/config"
    write(file, entry())
    assert yaml.safe_load(file.read_text()) == {
        "apiVersion": "v1",
        "kind": "Config",
        **{section: [part] for section, part in NEW.items()},
        "current-context": "trial",
    }
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [one.name for one in file.parent.iterdir()] == ["config"]


@pytest.mark.parametrize(("use", "current"), [(False, "work"), (True, "trial")])
def test_all_else_in_a_file_stays_and_the_current_context_unless_asked(tmp_path: Path, use: bool, current: str) -> None:
    file = tmp_path / "config"
    file.write_text(OTHER)
    write(file, entry(use=use))
    found, before = yaml.safe_load(file.read_text()), yaml.safe_load(OTHER)
    # A time stays the text that it was.
    before["users"][0]["user"]["auth-provider"]["config"]["expiry"] = "2026-11-23T10:00:00Z"
    assert found == {
        **before,
        **{section: [*before[section], part] for section, part in NEW.items()},
        "current-context": current,
    }


def test_a_second_time_changes_nothing_and_a_link_is_followed(tmp_path: Path) -> None:
    file, link = tmp_path / "config", tmp_path / "link"
    link.symlink_to(file)
    write(link, entry())
    before = file.read_text()
    write(link, entry())
    assert (file.read_text(), link.is_symlink()) == (before, True)


def test_a_name_of_another_cluster_is_not_taken(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text(OTHER)
    write(file, entry())
    before = file.read_text()
    for one, parts in ((entry("work"), "clusters, contexts"), (entry(account="2"), "clusters, contexts, users")):
        with pytest.raises(InputError) as caught:
            write(file, one)
        assert str(caught.value) == Says(f"{one.name!r}", parts, "--context")
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "line 1: not YAML"),
        ("- a", "the file is a list"),
        ("kind: Pod", "kind is 'Pod', not one of Config"),
        ("kind: Config\nusers: {}", "users is an empty mapping, not a list"),
        ("contexts: [{name: a, context: {extensions: 5}}]", "contexts[0].context.extensions is 5, not a list"),
        ("users: " + "[" * 5000, "nested too deeply"),
        ("clusters: " + "9" * 5000, "too many digits"),
        ("\0", "U+0000"),
    ],
)
def test_a_file_that_is_no_kubeconfig_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config").write_text(text)
    with pytest.raises(InputError) as caught:
        write(Path("config"), entry())
    assert (caught.value.source, Path("config").read_text(), [*Path().iterdir()]) == ("config", text, [Path("config")])
    assert said in str(caught.value)
    assert "--kubeconfig" in str(caught.value)


@pytest.mark.parametrize("name", ["folder", "file/config", "x" * 300, "loop"])
def test_a_place_where_no_file_can_be_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").touch()
    Path("loop").symlink_to("loop")
    with pytest.raises(InputError, match="--kubeconfig") as caught:
        write(Path(name), entry())
    assert name in str(caught.value)


def test_a_file_of_thousands_of_clusters_is_read(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text(yaml.safe_dump({"clusters": [{"name": f"c{at}", "cluster": {"a": at}} for at in range(6000)]}))
    write(file, entry())
    assert len(yaml.load(file.read_text(), yaml.CSafeLoader)["clusters"]) == 6001


def test_a_file_that_kubectl_changes_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "config.lock").touch()
    with pytest.raises(InputError, match="another command is changing the file; if none is, remove it"):
        write(tmp_path / "config", entry())
    assert [one.name for one in tmp_path.iterdir()] == ["config.lock"]


def test_the_kubeconfig_is_written_where_kubectl_would(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.touch()
    assert default_file({"KUBECONFIG": f"{tmp_path / 'new'}:{there}"}) == there
    assert default_file({"KUBECONFIG": f"{tmp_path / 'new'}:{tmp_path / 'newer'}"}) == tmp_path / "new"
    assert default_file({}) == Path.home() / ".kube/config"
