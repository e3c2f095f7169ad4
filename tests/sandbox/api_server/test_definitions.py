from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gpucluster.sandbox.api_server.definitions import Source, Unavailable, definitions_of, source_of, sources

SOURCE = Source(
    brought_by="a-chart",
    version="1.0.0",
    module="example.com/a",
    module_version="v1.0.0",
    sum="h1:right=",
    files=("crds/*.yaml", "more.yaml"),
)


@pytest.fixture
def module(tmp_path: Path, go: Path) -> Path:
    """What Go's cache holds of the module."""
    folder = tmp_path / "module"
    (folder / "crds").mkdir(parents=True)
    (folder / "crds" / "a.yaml").write_text("kind: CustomResourceDefinition\nmetadata: {name: a}\n")
    (folder / "more.yaml").write_text(
        "kind: CustomResourceDefinition\nmetadata: {name: b}\n---\nkind: Other\n---\n---\n"
    )
    Path(f"{go}.answer").write_text(json.dumps({"Dir": str(folder), "Sum": "h1:right="}))
    return folder


def test_every_row_of_the_table_is_of_a_module_and_files_and_a_checksum() -> None:
    for source in sources():
        assert source.module_version.startswith("v"), source
        assert source.sum.startswith("h1:"), source
        assert source.sum.endswith("="), source
        assert source.files, source
    assert len({(source.brought_by, source.version) for source in sources()}) == len(sources())
    pinned = {(source.module, source.module_version, source.sum) for source in sources()}
    assert len({(module, version) for module, version, _ in pinned}) == len(pinned), "one checksum of a module"


def test_a_chart_is_found_with_and_without_the_v_of_its_version_and_in_no_other() -> None:
    assert source_of("gpu-operator", "v26.3.3") == source_of("gpu-operator", "26.3.3") is not None
    assert source_of("kueue", "0.0.1") is None
    assert source_of("unheard-of", "1.0.0") is None


@pytest.mark.usefixtures("module")
def test_definitions_are_fetched_once_and_kept(go: Path, said: list[str]) -> None:
    found = [definitions_of(SOURCE, say=said.append) for _ in range(2)]
    definition = {"kind": "CustomResourceDefinition"}
    assert found == [[{**definition, "metadata": {"name": name}} for name in ("a", "b")]] * 2
    assert said == ["Fetching the definitions of example.com/a v1.0.0 (once)"]
    assert len(Path(f"{go}.calls").read_text().splitlines()) == 1


@pytest.mark.usefixtures("module")
def test_a_module_with_another_checksum_is_not_used(said: list[str]) -> None:
    with pytest.raises(Unavailable) as caught:
        definitions_of(replace(SOURCE, sum="h1:other="), say=said.append)
    assert str(caught.value) == "example.com/a@v1.0.0 has the checksum h1:right=, not the committed h1:other="


@pytest.mark.usefixtures("module")
def test_a_file_that_is_not_there_is_named(said: list[str]) -> None:
    with pytest.raises(Unavailable) as caught:
        definitions_of(replace(SOURCE, files=("none.yaml",)), say=said.append)
    assert str(caught.value) == "example.com/a v1.0.0 has no none.yaml"


def test_what_go_says_of_a_module_that_cannot_be_had_is_passed_on(go: Path, said: list[str]) -> None:
    Path(f"{go}.answer").write_text(json.dumps({"Error": "example.com/a@v1.0.0: not found"}))
    with pytest.raises(Unavailable) as caught:
        definitions_of(SOURCE, say=said.append)
    assert str(caught.value) == "example.com/a@v1.0.0: not found"
