"""Programs from Go modules, built once and kept."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.go_build import GoModule, GoProgram, Patch, go_program

MAIN = 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("one") }\n'


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GPUCLUSTER_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "hello"
    folder.mkdir()
    (folder / "go.mod").write_text("module hello\n\ngo 1.21\n")
    (folder / "main.go").write_text(MAIN)
    return folder


def test_a_program_is_built_once_and_anew_when_its_source_changes(source: Path) -> None:
    said: list[str] = []

    first = go_program(source, "hello", said.append)
    go_program(source, "hello", said.append)
    (source / "main.go").write_text(MAIN.replace("one", "two"))
    second = go_program(source, "hello", said.append)

    answers = [subprocess.run([path], capture_output=True, text=True, check=True).stdout for path in (first, second)]
    assert (answers, sum(line.startswith("Built hello in ") for line in said)) == (["one\n", "two\n"], 2)


def test_a_program_that_cannot_be_built_says_why_and_leaves_nothing(source: Path, tmp_path: Path) -> None:
    (source / "main.go").write_text("package main\n\nfunc main() { undefined() }\n")

    with pytest.raises(EngineError, match=r"hello could not be built: [\s\S]*undefined: undefined"):
        go_program(source, "hello", print)

    assert [path.name for path in (tmp_path / "cache/hello").iterdir() if path.suffix != ".lock"] == []


@pytest.fixture
def module(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GoModule:
    """A module with the package `word`, at a proxy in a folder."""
    files = {
        "go.mod": "module example.com/hello\n\ngo 1.21\n",
        "word/word.go": 'package word\n\nconst Word = "one"\n',
    }
    proxy = tmp_path / "proxy" / "example.com" / "hello" / "@v"
    proxy.mkdir(parents=True)
    (proxy / "v1.0.0.info").write_text(json.dumps({"Version": "v1.0.0"}))
    (proxy / "v1.0.0.mod").write_text(files["go.mod"])
    sums = ""
    with zipfile.ZipFile(proxy / "v1.0.0.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(f"example.com/hello@v1.0.0/{name}", text)
            sums += f"{hashlib.sha256(text.encode()).hexdigest()}  example.com/hello@v1.0.0/{name}\n"
    (source / "main.go").write_text(
        MAIN.replace('"fmt"', '("fmt"; "example.com/hello/word")').replace('"one"', "word.Word")
    )
    monkeypatch.setenv("GOPROXY", (tmp_path / "proxy").as_uri())
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "modules"))
    checksum = base64.b64encode(hashlib.sha256(sums.encode()).digest()).decode()
    return GoModule(path="example.com/hello", version="v1.0.0", sum=f"h1:{checksum}")


def test_a_program_is_built_in_a_changed_copy_of_a_module_with_its_go_mod(source: Path, module: GoModule) -> None:
    program = GoProgram(name="hello", package="./gpucluster", modules=source, module=module, source=source)
    changed = replace(program, patches=[Patch(file="word/word.go", old="one", new="two")])
    built = [it.built(print) for it in (program, changed)]
    answers = [subprocess.run([path], capture_output=True, text=True, check=True).stdout for path in built]
    assert answers == ["one\n", "two\n"]
    contained = subprocess.run(["go", "version", "-m", built[0]], capture_output=True, text=True, check=True).stdout
    assert "mod\texample.com/hello\t(devel)" in contained


def test_a_module_that_the_program_was_not_pinned_to_is_not_built(source: Path, module: GoModule) -> None:
    other = replace(module, sum="h1:other")
    program = GoProgram(name="hello", package="./word", modules=source, module=other)
    with pytest.raises(EngineError) as caught:
        program.built(print)
    assert str(caught.value) == (f"example.com/hello@v1.0.0 has the checksum {module.sum}, not the committed h1:other")


def test_a_patch_that_fits_nothing_is_told(source: Path, module: GoModule) -> None:
    patch = Patch(file="word/word.go", old="three", new="two")
    program = GoProgram(name="hello", package="./word", modules=source, module=module, patches=[patch])
    with pytest.raises(EngineError, match=r"word/word.go has no three: the build takes another text for it"):
        program.built(print)
