from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.api_server import binaries
from gpucluster.sandbox.engine.engine import EngineError

GoCalls = Callable[[], list[dict[str, Any]]]


def test_the_programs_are_built_once_from_the_committed_module_with_their_version(
    go: Path, go_calls: GoCalls, said: list[str]
) -> None:
    found = [binaries.find_binaries(say=said.append) for _ in range(2)]
    assert found == [binaries.Binaries(binaries.folder())] * 2
    (call,) = go_calls()
    into = call["arguments"][call["arguments"].index("-o") + 1]
    assert call["files"] == ["go.mod", "go.sum"]
    assert call["arguments"] == [
        *("build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-v", "-ldflags"),
        "-s -w"
        " -X k8s.io/component-base/version.gitVersion=v1.36.3"
        " -X k8s.io/component-base/version.gitMajor=1"
        " -X k8s.io/component-base/version.gitMinor=36"
        " -X k8s.io/client-go/pkg/version.gitVersion=v1.36.3"
        " -X k8s.io/client-go/pkg/version.gitMajor=1"
        " -X k8s.io/client-go/pkg/version.gitMinor=36",
        *("-o", into, "k8s.io/kubernetes/cmd/kube-apiserver", "k8s.io/kubernetes/cmd/kubectl"),
        "go.etcd.io/etcd/server/v3",
    ]
    there = {path.name for path in binaries.folder().iterdir()}
    assert there == {"kube-apiserver", "kubectl", "etcd", "installed.json", "verified.json"}
    assert said[0] == (
        f"Building the Kubernetes API server 1.36.3, etcd and kubectl with {go}: "
        "about 5 minutes on 2 cores and 2 GB in Go's caches the first time, seconds after that."
    )


def test_another_version_is_built_from_its_own_module_beside_the_first(
    go: Path, go_calls: GoCalls, said: list[str], tmp_path: Path
) -> None:
    (tmp_path / "go.mod").write_text("module older\n\ngo 1.24.0\n")
    (tmp_path / "go.sum").touch()
    go.write_text(go.read_text().replace("Kubernetes v1.36.3", "Kubernetes v1.34.1"))
    found = binaries.find_binaries(say=said.append, version="1.34.1", modules=tmp_path)
    assert found == binaries.Binaries(binaries.folder("1.34.1", tmp_path))
    assert found.folder != binaries.folder()
    (call,) = go_calls()
    assert "-X k8s.io/component-base/version.gitVersion=v1.34.1" in " ".join(call["arguments"])
    assert said[0].startswith("Building the Kubernetes API server 1.34.1, etcd and kubectl with ")


@pytest.mark.usefixtures("go")
def test_programs_that_were_changed_are_made_anew(said: list[str]) -> None:
    found = binaries.find_binaries(say=said.append)
    found.etcd.write_text("#!/bin/sh\n")
    said.clear()
    assert binaries.find_binaries(say=said.append) == found
    assert said[0] == (
        f"The cached Kubernetes API server in {found.folder} is broken: etcd differs from the installed file. "
        "It is built again."
    )


def test_a_server_of_another_version_is_not_installed(go: Path, said: list[str]) -> None:
    go.write_text(go.read_text().replace("Kubernetes v1.36.3", "Kubernetes v1.33.0"))
    with pytest.raises(EngineError) as caught:
        binaries.find_binaries(say=said.append)
    assert str(caught.value) == (
        "The Kubernetes API server just built cannot be used: its kube-apiserver does not answer with its version, "
        'v1.36.3 ("Kubernetes v1.33.0").'
    )
    assert not binaries.folder().exists()


def test_a_build_that_fails_says_why_and_what_it_needs(go: Path, said: list[str]) -> None:
    go.write_text("#!/bin/sh\n[ $1 = version ] && echo go1.27.3 && exit\necho 'no such module'; exit 1\n")
    with pytest.raises(EngineError) as caught:
        binaries.find_binaries(say=said.append)
    assert str(caught.value) == (
        "The Kubernetes API server is missing and could not be built: go build failed: \n  no such module\n"
        "The build needs access to a Go module proxy (GOPROXY). Without --kubernetes real "
        "the sandbox needs no API server."
    )


@pytest.mark.usefixtures("go")
def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, said: list[str]) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    with pytest.raises(EngineError, match=r"Cannot write the cache folder .*/cache/kubernetes"):
        binaries.find_binaries(say=said.append)
