"""Small Pulumi projects without any provider, run by the real engine with our language host."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpucluster.sandbox.engine.engine import Engine
from gpucluster.sandbox.engine.find import find_engine
from gpucluster.sandbox.engine.language_host.start import start_language_host
from tests.waiting import output_of


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine of this machine, made to attach to our language host also where it brings its own."""
    found = find_engine()
    return Engine(found.binary, found.version, "built", found.language_host or found.binary.parent)


@dataclass(frozen=True)
class Project:
    """A project folder, and how to run Pulumi in it."""

    engine: Engine
    folder: Path
    environment: Mapping[str, str]

    def write(self, files: Mapping[str, str]) -> None:
        """Put files into the project."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    @contextmanager
    def started(self, *arguments: str) -> Generator[subprocess.Popen[str]]:
        """A Pulumi command that is running, with a language host of its own."""
        with (
            start_language_host(self.engine, self.environment) as host,
            subprocess.Popen(
                [self.engine.binary, *arguments, "--non-interactive", "--color", "never"],
                cwd=self.folder,
                env=host.environment(self.environment),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            ) as process,
        ):
            yield process

    def pulumi(self, *arguments: str) -> tuple[int, str]:
        """Exit code and output, the project's folder written as PROJECT."""
        with self.started(*arguments) as process:
            output, _ = output_of(process)
        return process.returncode, output.replace(str(self.folder), "PROJECT")

    def preview(self, *options: str) -> tuple[int, str]:
        """Exit code and what a preview shows below its progress lines."""
        code, output = self.pulumi("preview", "--stack", "dev", *options)
        starts = [start for title in ("Policies:", "Diagnostics:", "Outputs:") if (start := output.find(title)) >= 0]
        return code, output[min(starts, default=0) :].rstrip()


@pytest.fixture
def project(tmp_path: Path, engine: Engine) -> Project:
    """A project `tiny` with a stack `dev`, whose program the test writes."""
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "state").mkdir()
    made = Project(
        engine,
        folder,
        {
            "PATH": os.defpath,
            "HOME": str(tmp_path),
            "PULUMI_HOME": str(tmp_path / "home"),
            "PULUMI_BACKEND_URL": (tmp_path / "state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "only for this test",
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        },
    )
    made.write({"Pulumi.yaml": "name: tiny\nruntime: python\n"})
    assert made.pulumi("stack", "init", "dev") == (0, "Created stack 'dev'\n")
    return made
