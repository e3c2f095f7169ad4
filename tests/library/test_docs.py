"""What is public is what docs/start/library.md lists, and the programs in it run as they stand."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.checkout import LINKS, link
from tests.library.conftest import PROJECT

PAGE = Path(__file__).parents[2] / "docs/start/library.md"
MODULES = ("gpucluster", "gpucluster.aws", "gpucluster.gcp", "gpucluster.azure")
SDKS = ("pulumi_aws", "pulumi_gcp", "pulumi_azure_native")
Sandbox = Callable[..., Any]


def listed() -> dict[str, set[str]]:
    """Module -> its names in the page's table."""
    names: dict[str, set[str]] = {module: set() for module in MODULES}
    for name, where in re.findall(r"^\| `(\w+)` \| ((?:`\w+` ?)+)\|", PAGE.read_text(), re.MULTILINE):
        for module in re.findall(r"`(\w+)`", where):
            names[module if module == "gpucluster" else f"gpucluster.{module}"].add(name)
    return names


def programs() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("module", MODULES)
def test_public_is_what_the_page_lists(module: str) -> None:
    assert set(importlib.import_module(module).__all__) == listed()[module]


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_says_what_it_is_what_its_arguments_are_and_what_it_raises(module: str) -> None:
    found = importlib.import_module(module)
    assert inspect.getdoc(found)
    for name in found.__all__:
        thing = getattr(found, name)
        if inspect.isclass(thing) and issubclass(thing, Exception):
            continue  # raised, and neither called nor raising
        text = f"{thing.__doc__} {thing.__init__.__doc__ if inspect.isclass(thing) else ''}"
        assert re.search(r"[Rr]aises", text), name
        arguments = set(inspect.signature(thing).parameters) - BY_THEIR_NAMES
        assert name == "ClusterSpec" or [argument for argument in arguments if not told(argument, text)] == [], name


BY_THEIR_NAMES = {"name", "location", "opts", "cluster_name", "cluster_security_group_id", "vpc_id", "resource_group"}


def told(argument: str, text: str) -> bool:
    """Whether a text says what an argument is, by itself or in a sentence."""
    return re.search(rf"\b{argument}\b(:|, \w+:| and \w+ are| are as)", text) is not None


def loaded(module: str) -> set[str]:
    """The top-level packages that an import loads."""
    code = f"import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_package_itself_loads_next_to_nothing() -> None:
    assert loaded("gpucluster") & {"pulumi", "pulumi_kubernetes", "pydantic", "yaml", *SDKS} == set()


@pytest.mark.parametrize(("module", "sdk"), list(zip(MODULES[1:], SDKS, strict=True)))
def test_a_cloud_loads_its_own_sdk_alone(module: str, sdk: str) -> None:
    assert loaded(module) & {*SDKS} == {sdk}


@pytest.mark.engine
def test_the_pages_first_program_previews_with_its_cost(sandbox: Sandbox) -> None:
    done = sandbox(programs()[0], "preview")
    assert done.code == 0, done.text
    resources = re.search(r"shows (\d+) resources", PAGE.read_text())
    assert resources is not None
    assert re.search(rf"^ +\+ {resources[1]} to create", done.text, re.MULTILINE), done.text
    assert re.search(r"^ +\$[\d.]+ per training GPU-hour, 32 GPUs$", done.text, re.MULTILINE), done.text
    assert re.search(r"^Budget +none stated$", done.text, re.MULTILINE), done.text
    assert "This trial" not in done.text
    assert "203.0.113.0/24 is an example range" in done.text
    assert re.search(r"^    kubeconfig +: \[unknown\]$", done.text, re.MULTILINE), done.text


@pytest.mark.engine
def test_the_readmes_program_previews_with_its_cost_by_the_readmes_command_in_a_new_project(tmp_path: Path) -> None:
    section = (PAGE.parents[2] / "README.md").read_text().split("## In your own Pulumi program")[1].split("\n## ")[0]
    [program] = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    [command] = re.findall(r"^```\ngpucluster (.*?) *(?:#.*)?\n```", section, re.MULTILINE)
    (tmp_path / "Pulumi.yaml").write_text(PROJECT.format(virtualenv=sys.prefix))
    (tmp_path / "__main__.py").write_text(program)
    words = [str(Path(sys.prefix) / "bin/gpucluster"), *command.split()]
    done = subprocess.run(words, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^Total +\$[0-9,.]+ a month$", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize("program", programs()[1:], ids=["watch", "pool"])
def test_its_other_programs_preview_as_well(program: str, sandbox: Sandbox) -> None:
    done = sandbox(program, "preview")
    assert done.code == 0, done.text
    assert ("networkMonthly" if "watch" in program else "gpucluster:aws:TrainingPool gpus create") in done.text


@pytest.mark.slow
def test_the_pages_programs_are_typed(tmp_path: Path) -> None:
    """As a user's editor sees them, in strict mode."""
    link(PAGE.parents[2])
    settings = (
        f'{{"typeCheckingMode": "strict", "pythonVersion": "3.11", "extraPaths": ["{PAGE.parents[2] / LINKS}"], '
        f'"venvPath": "{Path(sys.prefix).parent}", "venv": "{Path(sys.prefix).name}", '
        '"reportMissingTypeStubs": false, "reportUnknownMemberType": false}'
    )
    (tmp_path / "pyrightconfig.json").write_text(settings)
    for number, program in enumerate(programs()):
        (tmp_path / f"program_{number}.py").write_text(program)
    done = subprocess.run(
        [Path(sys.prefix) / "bin" / "basedpyright", "--project", tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
