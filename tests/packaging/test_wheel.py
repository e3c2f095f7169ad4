"""What `pip install` brings, used from a project that has packages called as our folders are."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from gpucluster.checkout import folders
from gpucluster.components.cluster.cloud import CLOUDS, missing_sdk
from gpucluster.core.catalog.clouds import clouds
from tests.packaging.conftest import ROOT, Environment, build_wheel
from tests.says import Says
from tests.stacks.conftest import Done

pytestmark = pytest.mark.core


def test_the_wheel_is_one_package_with_every_file_of_its_folders(source: Path, wheel: Path) -> None:
    expected = {
        f"{package.replace('.', '/')}/{path.relative_to(source / folder)}"
        for package, folder in folders(ROOT).items()
        for path in (source / folder).rglob("*")
        if path.is_file()
    }
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in names if ".dist-info/" not in name} == expected


def test_a_wheel_of_the_source_distribution_is_the_same(source: Path, wheel: Path, tmp_path: Path) -> None:
    build = f"import setuptools.build_meta as it; it.build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    [sdist] = tmp_path.glob("*.tar.gz")
    again = build_wheel(sdist, tmp_path / "wheel")
    contents = [{info.filename: info.CRC for info in zipfile.ZipFile(it).infolist()} for it in (wheel, again)]
    assert contents[0] == contents[1]
    ours = {folder: package.replace(".", "/") for package, folder in folders(ROOT).items()}
    with tarfile.open(sdist) as archive:
        parts = [Path(member.name).parts[1:] for member in archive if member.isfile()]
    packed = {"/".join((ours[top], *below)) for top, *below in filter(None, parts) if top in ours}
    assert packed == {name for name in contents[0] if ".dist-info/" not in name}


def test_a_library_pins_nothing_and_each_cloud_is_an_extra(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    [name] = [name for name in archive.namelist() if name.endswith("/METADATA")]
    required = message_from_bytes(archive.read(name)).get_all("Requires-Dist") or []
    assert [line for line in required if re.search(r"={2,3}\d", line)] == []
    bare = [line for line in required if "extra ==" not in line]
    assert {re.split("[<>]", line)[0] for line in bare if line.startswith("pulumi")} == {"pulumi", "pulumi-kubernetes"}
    for cloud in CLOUDS:
        sdk = clouds()[cloud].sdk.replace("_", "-")
        assert [line for line in required if line.startswith(sdk) and f'extra == "{cloud}"' in line], cloud


@pytest.mark.parametrize("address", ["", "https://example.com/owner/name"])
def test_a_release_names_its_repository_and_links_of_its_readme_lead_there(
    address: str, source: Path, tmp_path: Path
) -> None:
    """PyPI shows the README without the files beside it."""
    archive = zipfile.ZipFile(build_wheel(source, tmp_path, GPUCLUSTER_REPOSITORY=address))
    [name] = [name for name in archive.namelist() if name.endswith("/METADATA")]
    metadata = message_from_bytes(archive.read(name))
    urls = dict(line.split(", ") for line in metadata.get_all("Project-URL") or [])
    links = re.findall(r"\]\(([^)]+)\)", str(metadata.get_payload()))
    if not address:
        assert (urls, [link for link in links if "://" in link]) == ({}, [])
        return
    assert {*urls} == {"Repository", "Documentation", "Changelog", "Issues"}
    assert [url for url in urls.values() if not url.startswith(address)] == []
    revision = f"v{metadata['Version']}"
    paths = [link.removeprefix(f"{address}/").split("/", 2) for link in links]
    assert {(kind, of) for kind, of, _ in paths} == {("blob", revision), ("raw", revision)}
    assert [path for _, _, path in paths if not (ROOT / path.partition("#")[0]).exists()] == []
    assert [kind for kind, _, path in paths if path.endswith((".svg", ".png"))] == ["raw"] * 3


def test_packages_of_the_project_stay_its_own(only_gcp: Environment, project: Path) -> None:
    program = "import components, cost, gpucluster.cost; print(components.NAME, cost.NAME, gpucluster.cost.__file__)"
    done = only_gcp.run(project, "python", "-c", program)
    ours = only_gcp.site_packages / "gpucluster/cost/__init__.py"
    assert done == Done(0, f"components of the project cost of the project {ours}\n", "")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("gpucluster init first.yaml", "Wrote first.yaml"),
        ("gpucluster telemetry rules --stack gcp-trial", "alert:"),
        ("gpucluster acceptance --help", "burn-in"),
        ("gpucluster cost types", "google"),
        ("gpucluster cost prices show --sku p5.48xlarge", "us-east-1"),
        ("gpucluster guardrails explain training-pool-in-one-domain --example fail", '"steps"'),
        ("gpucluster guardrails pr-check --help", "--base"),
        ("gpucluster versions", "out of standard support on"),
        ("gpucluster sandbox doctor", "gcp "),
    ],
)
def test_the_commands_find_their_files(only_gcp: Environment, project: Path, command: str, said: str) -> None:
    done = only_gcp.run(project, *command.split())
    assert (done.code, done.err) == (0, ""), done.text
    assert said in done.out


def test_a_check_names_the_sdk_that_a_preview_would_miss(only_gcp: Environment, project: Path) -> None:
    there, missing = (
        only_gcp.run(project, "gpucluster", "check", "--stack", f"{name}-trial") for name in ("gcp", "azure")
    )
    assert (there.code, there.err, missing.code) == (0, "", 0), there.text + missing.text
    assert (
        missing.err
        == "a preview, and the cost here, needs pulumi-azure-native: pip install 'pulumi-azure-native>=3.12,<4'\n"
    )


def test_an_sdk_that_is_there_is_not_missing() -> None:
    assert [missing_sdk(cloud) for cloud in CLOUDS] == [None] * len(CLOUDS)


@pytest.mark.engine
def test_a_program_with_parts_of_its_own_is_previewed_under_the_pack(only_gcp: Environment, project: Path) -> None:
    kept = {"GPUCLUSTER_CACHE": str(project.with_name("cache"))}
    pack = only_gcp.run(project, "gpucluster", "guardrails", "pack", variables=kept).out.strip()
    words = ("sandbox", "pulumi", "preview", "--stack", "gcp-trial", "--policy-pack", pack)
    done = only_gcp.run(project, "gpucluster", *words)
    assert done.code == 0, done.text
    # Pulumi leaves out the middle of a long path.
    assert re.search(rf"training@v0\.2\.0 \(local: \S+/{Path(pack).parent.name}/training\)", done.out), done.text
    assert re.search(r"^Total +\$", done.out, re.MULTILINE), done.out
    assert re.search(r"own\s*: \"components of the project and cost of the project\"", done.out), done.out


@pytest.mark.engine
def test_a_preview_refuses_in_one_line_what_needs_another_sdk(only_gcp: Environment, project: Path) -> None:
    done = only_gcp.run(project, "gpucluster", "sandbox", "pulumi", "preview", "--stack", "aws-trial")
    assert done.code == 2, done.text
    assert "error: cluster trial: 1 problem\n      needs pulumi-aws: pip install 'pulumi-aws>=7.15,<8'\n" in done.out


def test_an_import_names_the_extra_that_brings_its_sdk(only_gcp: Environment, tmp_path: Path) -> None:
    there, missing = (
        only_gcp.run(tmp_path, "python", "-c", f"from gpucluster.{cloud} import TrainingCluster")
        for cloud in ("gcp", "aws")
    )
    assert there == Done(0, "", "")
    last = missing.err.splitlines()[-1]
    assert last == Says("ModuleNotFoundError", "gpucluster.aws", "pulumi-aws", "pulumi-aws>=7.15,<8")
    assert "During handling" not in missing.err


@pytest.mark.engine
def test_the_first_program_of_the_docs_is_previewed_as_it_stands(other_minor: Environment, tmp_path: Path) -> None:
    """Typed into an empty folder, beside the installed package and nothing else of ours."""
    page = (ROOT / "docs/start/library.md").read_text()
    (tmp_path / "Pulumi.yaml").write_text("name: own\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {}\n")
    (tmp_path / "__main__.py").write_text(page.partition("```python\n")[2].partition("```")[0])
    done = other_minor.run(tmp_path, "gpucluster", "sandbox", "pulumi", "preview", "--stack", "dev")
    assert done.code == 0, done.text
    resources = re.search(r"shows (\d+) resources", page)
    assert resources is not None
    assert re.search(rf"^ +\+ {resources[1]} to create", done.out, re.MULTILINE), done.text
    assert re.search(r"^Total +\$", done.out, re.MULTILINE), done.out


BUCKET = 'from pulumi_gcp import storage\n\nstorage.Bucket("data", location="US")\n'


@pytest.mark.engine
def test_a_stack_that_stands_is_changed_and_destroyed_by_another_minor_of_the_sdk(
    only_gcp: Environment, other_minor: Environment, tmp_path: Path
) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: own\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text("config:\n  gcp:project: my-project\n")
    (tmp_path / "__main__.py").write_text(BUCKET)
    up = only_gcp.run(tmp_path, "gpucluster", "sandbox", "pulumi", "up", "--yes", "--stack", "dev")
    assert up.code == 0, up.text
    plan = other_minor.run(tmp_path, "gpucluster", "sandbox", "pulumi", "preview", "--json", "--stack", "dev")
    assert (plan.code, json.loads(plan.out)["changeSummary"]) == (0, {"same": 2}), plan.text
    gone = other_minor.run(tmp_path, "gpucluster", "sandbox", "pulumi", "destroy", "--yes", "--stack", "dev")
    assert gone.code == 0, gone.text
    assert (
        other_minor.run(tmp_path, "gpucluster", "sandbox", "status").out == "Nothing exists in the simulated clouds.\n"
    )


@pytest.mark.parametrize(("annotation", "errors"), [("PriceBook", 0), ("int", 1)])
def test_a_type_checker_sees_our_types(only_gcp: Environment, tmp_path: Path, annotation: str, errors: int) -> None:
    """In strict mode, which accepts no package without types."""
    program = f"from gpucluster.cost.prices import PriceBook\n\nbook: {annotation} = PriceBook()\n"
    (tmp_path / "program.py").write_text(program)
    python = str(only_gcp.path / "bin/python")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict", "include": ["program.py"]}))
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", python, "--outputjson"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert [it["rule"] for it in found] == ["reportAssignmentType"] * errors, found
