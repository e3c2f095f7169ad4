"""The YAML language host beside an engine that was built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from gpucluster.sandbox.engine import yaml_host
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.go_toolchain import NoGo


def test_the_yaml_host_is_put_where_the_engine_looks_and_follows_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str, str]] = []
    host = tmp_path / "cache/one/pulumi-language-yaml"

    def program(source: Path, package: str, say: object, *, name: str, linked: str, tags: Sequence[str] = ()) -> Path:
        del source, say, tags
        asked.append((package, name, linked))
        return host

    monkeypatch.setattr(yaml_host, "go_program", program)
    for _ in range(2):
        yaml_host.put_yaml_host(tmp_path, print)
    link = tmp_path / "plugins/language-yaml-v1.30.0/pulumi-language-yaml"
    assert link.readlink() == host
    host = tmp_path / "cache/two/pulumi-language-yaml"
    yaml_host.put_yaml_host(tmp_path, print)
    assert link.readlink() == host
    module = "github.com/pulumi/pulumi-yaml"
    one = (f"{module}/cmd/pulumi-language-yaml", "pulumi-language-yaml", f"-X {module}/pkg/version.Version=v1.30.0")
    assert asked == [one] * 3


def test_without_go_it_is_said_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def program(*_: object, **__: object) -> Path:
        raise NoGo("neither uv nor pip is installed")

    monkeypatch.setattr(yaml_host, "go_program", program)
    message = "^pulumi-language-yaml is missing and could not be built: neither uv nor pip is installed$"
    with pytest.raises(EngineError, match=message):
        yaml_host.put_yaml_host(tmp_path, print)
    assert list(tmp_path.iterdir()) == []


def test_every_module_that_it_is_built_of_has_a_checksum() -> None:
    folder = Path(yaml_host.__file__).parent
    modules = [line.split()[:2] for line in (folder / "go.mod").read_text().splitlines() if line.startswith("\t")]
    kept = {tuple(line.split()[:2]) for line in (folder / "go.sum").read_text().splitlines()}
    assert [module for module in modules if (module[0], f"{module[1]}/go.mod") not in kept] == []
