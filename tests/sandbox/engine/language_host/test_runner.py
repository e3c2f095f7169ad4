from __future__ import annotations

import json
import sys
import venv
from pathlib import Path
from typing import Any

import pulumi
import pytest

from gpucluster.sandbox.engine.engine import INPUT_ERROR_FILE

pytestmark = pytest.mark.engine

STACK = "  pulumi:pulumi:Stack (tiny-dev):\n"
COMPONENT = """\
import pulumi
class Thing(pulumi.ComponentResource):
    def __init__(self, name):
        super().__init__("test:index:Thing", name)
        self.register_outputs({"name": name})
"""


def failed(*lines: str) -> tuple[int, str]:
    """A preview that ended with one error of the program."""
    return 1, f"Diagnostics:\n{STACK}" + "\n".join(f"    {line}" for line in lines)


def failure(project: Any) -> tuple[int, str]:
    """Exit code and diagnostics of a preview."""
    code, text = project.preview()
    return code, text.partition("\n\nResources:")[0]


def outputs(project: Any, *options: str) -> dict[str, Any]:
    """The stack's outputs after `up`."""
    code, text = project.pulumi("up", "--stack", "dev", "--yes", *options)
    assert code == 0, text
    code, text = project.pulumi("stack", "output", "--stack", "dev", "--json")
    assert code == 0, text
    return json.loads(text)


def test_a_program_sees_its_folder_arguments_config_and_stack(project: Any) -> None:
    project.write(
        {
            "Pulumi.yaml": "name: tiny\nruntime: python\nmain: stacks/\nstackConfigDir: stacks/\n",
            "stacks/neighbour.py": "HERE = 'beside the program'\n",
            "stacks/__main__.py": (
                "import os, sys, pulumi, neighbour\n"
                "pulumi.export('seen', {\n"
                "    'name': __name__, 'cwd': os.getcwd(), 'argv': sys.argv, 'path': sys.path[0],\n"
                "    'project': pulumi.get_project(), 'stack': pulumi.get_stack(),\n"
                "    'organization': pulumi.get_organization(), 'root': pulumi.runtime.get_root_directory(),\n"
                "    'config': pulumi.Config().require_int('nodes'), 'neighbour': neighbour.HERE,\n"
                "    'python': sys.executable, 'stdin': sys.stdin.read(),\n"
                "})\n"
            ),
            "stacks/Pulumi.dev.yaml": "config:\n  tiny:nodes: 4\n",
        }
    )
    assert outputs(project) == {
        "seen": {
            "name": "__main__",
            "cwd": "PROJECT/stacks",
            "argv": ["PROJECT/stacks"],
            "path": "PROJECT/stacks",
            "project": "tiny",
            "stack": "dev",
            "organization": "organization",
            "root": "PROJECT",
            "config": 4,
            "neighbour": "beside the program",
            "python": sys.executable,
            "stdin": "",
        }
    }


def test_the_program_may_be_a_file(project: Any) -> None:
    project.write(
        {
            "Pulumi.yaml": "name: tiny\nruntime: python\nmain: cluster.py\n",
            "neighbour.py": "HERE = 'beside the program'\n",
            "cluster.py": "import pulumi, neighbour\npulumi.export('neighbour', neighbour.HERE)\n",
        }
    )
    assert outputs(project) == {"neighbour": "beside the program"}


def test_secrets_in_the_config_stay_secret(project: Any) -> None:
    assert project.pulumi("config", "set", "--secret", "password", "hunter2", "--stack", "dev")[0] == 0
    project.write({"__main__.py": "import pulumi\npulumi.export('it', pulumi.Config().require_secret('password'))\n"})
    assert project.preview() == (0, "Outputs:\n    it: [secret]\n\nResources:\n    + 1 to create")


def test_nothing_of_one_run_reaches_the_next(project: Any) -> None:
    """`up` runs the program twice in one command: for the preview and for the update."""
    project.write(
        {
            "neighbour.py": "runs = []\n",
            "__main__.py": (
                "import os, sys, pulumi, neighbour\n"
                "neighbour.runs.append(pulumi.runtime.is_dry_run())\n"
                "pulumi.export('runs', neighbour.runs)\n"
                "pulumi.export('mark', os.environ.get('MARK', 'none'))\n"
                "pulumi.export('modules', 'left_behind' in sys.modules)\n"
                "os.environ['MARK'] = 'left behind'\n"
                "sys.modules['left_behind'] = pulumi\n"
            ),
        }
    )
    assert outputs(project) == {"runs": [False], "mark": "none", "modules": False}


def test_a_module_of_the_program_wins_over_one_of_ours_with_the_same_name(project: Any) -> None:
    project.write(
        {
            "gpucluster.py": "WHOSE = 'of the program'\n",
            "__main__.py": "import pulumi, gpucluster\npulumi.export('whose', gpucluster.WHOSE)\n",
        }
    )
    assert outputs(project) == {"whose": "of the program"}


def test_what_a_program_prints_is_shown_once(project: Any) -> None:
    project.write(
        {
            "__main__.py": (
                "import sys\n"
                "print('to stdout: 8 é H100')\n"
                "print('to stderr', file=sys.stderr)\n"
                "sys.stdout.write('without an end of line')\n"
            )
        }
    )
    code, text = project.preview()
    told = text.removeprefix(f"Diagnostics:\n{STACK}").removesuffix("\n\nResources:\n    + 1 to create")
    assert code == 0
    assert sorted(told.split("\n\n")) == ["    to stderr", "    to stdout: 8 é H100\n    without an end of line"]


def test_a_run_error_is_shown_once_and_without_a_traceback(project: Any) -> None:
    project.write({"__main__.py": "import pulumi\nraise pulumi.RunError('the budget is too small')\n"})
    assert failure(project) == failed("error: the budget is too small")


def test_a_traceback_is_shown_once_and_starts_in_the_program(project: Any) -> None:
    project.write(
        {"shapes.py": "def find():\n    raise KeyError('p6')\n", "__main__.py": "import shapes\n\nshapes.find()\n"}
    )
    assert failure(project) == failed(
        "error: The program failed:",
        "Traceback (most recent call last):",
        '  File "PROJECT/__main__.py", line 3, in <module>',
        "    shapes.find()",
        '  File "PROJECT/shapes.py", line 2, in find',
        "    raise KeyError('p6')",
        "KeyError: 'p6'",
    )


@pytest.mark.parametrize(
    ("program", "advice"),
    [
        (
            "import os; os.environ['AWS_REGION']",
            "get no variable that may name an account: give 'AWS_REGION' a default",
        ),
        ("import subprocess; subprocess.run(['pulumi', 'version'])", "starts Pulumi itself (automation API)"),
        ("import pulumi_absent", "Install the package that has pulumi_absent in the environment of "),
        (
            "import urllib.request; urllib.request.urlopen('http://127.0.0.2:9/')",
            "The program asks 127.0.0.2 itself, not by Pulumi, and has no account there. Answer in a scenario, "
            "`calls: [{url: 'https://127.0.0.2/*', result: ...}]`, and run `gpucluster sandbox --scenario FILE",
        ),
        (
            "import pulumi; pulumi.StackReference('acme/network/prod')",
            "The sandbox has no stack acme/network/prod: give the outputs that the program reads in a scenario, "
            "`stacks: {organization/network/prod: {NAME: VALUE}}`, and run `gpucluster sandbox --scenario FILE",
        ),
    ],
)
def test_a_failure_that_the_sandbox_causes_ends_with_what_to_do(project: Any, program: str, advice: str) -> None:
    project.write({"__main__.py": f"{program}\n"})
    code, text = failure(project)
    assert (code, advice in text.splitlines()[-1]) == (1, True), text


def test_a_failure_in_an_apply_is_shown_once(project: Any) -> None:
    project.write({"__main__.py": "import pulumi\npulumi.Output.from_input(0).apply(lambda n: 1 / n)\n"})
    code, text = project.preview()
    assert (code, text.count("ZeroDivisionError: division by zero"), text.count("Traceback")) == (1, 1, 1)


def test_a_syntax_error_is_shown_with_its_place_alone(project: Any) -> None:
    project.write({"__main__.py": "nodes = = 4\n"})
    assert failure(project) == failed(
        "error: The program failed:",
        '  File "PROJECT/__main__.py", line 1',
        "    nodes = = 4",
        "            ^",
        "SyntaxError: invalid syntax",
    )


def test_what_the_engine_refuses_is_told_by_the_engine_alone(project: Any) -> None:
    project.write({"__main__.py": f"{COMPONENT}\nThing('one')\nThing('one')\n"})
    code, text = project.preview()
    assert code == 1
    assert text.startswith(
        "Diagnostics:\n  test:index:Thing (one):\n    error: Duplicate resource URN "
        "'urn:pulumi:dev::tiny::test:index:Thing::one'; try giving it a unique name\n\nResources:\n"
    )


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("sys.exit('no such shape')", "error: no such shape"),
        ("sys.exit(3)", "error: an unhandled error occurred: the program exited with code 3"),
        ("os.kill(os.getpid(), 9)", "error: an unhandled error occurred: the program was ended by signal 9"),
    ],
)
def test_a_program_that_gives_up_says_how(project: Any, statement: str, message: str) -> None:
    project.write({"__main__.py": f"import os, sys\n{statement}\n"})
    assert failure(project) == failed(message)


def test_a_program_that_exits_with_0_is_done_and_its_resources_are_kept(project: Any) -> None:
    project.write({"__main__.py": f"{COMPONENT}\nimport sys\nThing('one')\npulumi.export('nodes', 4)\nsys.exit(0)\n"})
    assert project.preview() == (0, "Outputs:\n    nodes: 4\n\nResources:\n    + 2 to create")


def test_a_project_without_a_program_is_told_where_one_starts(project: Any) -> None:
    assert failure(project) == failed(
        "error: There is no __main__.py in PROJECT: a Pulumi program in Python starts there."
    )


@pytest.fixture
def other_venv(project: Any) -> Path:
    """A virtual environment of the project's own, without Pulumi."""
    folder = project.folder / "venv"
    venv.create(folder, symlinks=True)
    project.write(
        {
            "Pulumi.yaml": "name: tiny\nruntime: {name: python, options: {virtualenv: venv}}\n",
            "__main__.py": "import sys, pulumi\npulumi.export('prefix', sys.prefix)\n",
        }
    )
    return folder


@pytest.mark.slow
def test_a_program_runs_in_the_virtual_environment_it_names(project: Any, other_venv: Path) -> None:
    (packages,) = other_venv.glob("lib/python*/site-packages")
    (packages / "pulumi.pth").write_text(str(Path(pulumi.__file__).parents[1]))
    assert outputs(project) == {"prefix": "PROJECT/venv"}


def test_a_virtual_environment_without_pulumi_is_named(project: Any, other_venv: Path) -> None:
    assert other_venv.exists()
    code, text = project.preview()
    assert code == 1
    assert (
        "    PROJECT/venv/bin/python cannot import Pulumi (No module named 'pulumi'): "
        "install the project's requirements there.\n"
    ) in text


def test_a_virtual_environment_that_is_not_there_is_one_clear_error(project: Any, tmp_path: Path) -> None:
    project.environment[INPUT_ERROR_FILE] = str(tmp_path / "refused")
    project.write({"Pulumi.yaml": "name: tiny\nruntime: {name: python, options: {virtualenv: .venv}}\n"})
    assert failure(project) == failed(
        'error: The project in PROJECT names the virtual environment ".venv" (runtime.options.virtualenv), '
        "but there is no PROJECT/.venv/bin/python.",
        "Create it (python3 -m venv PROJECT/.venv) and install the project's requirements there, "
        "or correct or remove that option.",
    )
    # By which the sandbox ends with 2, and with the reason.
    assert (tmp_path / "refused").read_text().startswith("The project in ")


PACK = """\
import os, sys
from pulumi_policy import EnforcementLevel, PolicyPack, ResourceValidationPolicy

def check(args, report):
    if args.resource_type == "test:index:Thing":
        report(f"{args.name} in {os.getcwd()}, {os.environ['HOME']}, {__name__}")

PolicyPack("pack", [ResourceValidationPolicy("rule", "a rule", check, EnforcementLevel.LEVEL)])
"""


def write_pack(project: Any, level: str) -> None:
    """A program with one resource, and a pack that objects to it."""
    project.write(
        {
            "__main__.py": f"{COMPONENT}\nThing('one')\n",
            "pack/PulumiPolicy.yaml": "runtime: python\n",
            "pack/__main__.py": PACK.replace("LEVEL", level),
        }
    )


@pytest.mark.parametrize(("level", "code", "sign"), [("ADVISORY", 0, "⚠️"), ("MANDATORY", 1, "❌")])
def test_a_policy_pack_runs_in_its_own_folder_and_its_level_decides(
    project: Any, level: str, code: int, sign: str
) -> None:
    write_pack(project, level)
    result, text = project.preview("--policy-pack", "pack")
    assert result == code
    assert text.startswith(
        f"Policies:\n    {sign} pack@v0.0.1 (local: pack)\n"
        f"        - [{level.lower()}]  rule  (test:index:Thing: one)\n"
        "          a rule\n"
        f"          one in PROJECT/pack, {project.environment['HOME']}, __main__\n"
    )


def test_a_policy_pack_that_crashes_at_its_start_shows_why(project: Any) -> None:
    write_pack(project, "MANDATORY")
    project.write({"pack/__main__.py": "raise ValueError('no rules')\n"})
    code, text = project.preview("--policy-pack", "pack")
    assert (code, text.count("ValueError: no rules")) == (1, 1)


def test_a_policy_pack_whose_virtual_environment_is_missing_says_so(project: Any) -> None:
    write_pack(project, "MANDATORY")
    project.write({"pack/PulumiPolicy.yaml": "runtime: {name: python, options: {virtualenv: ../nope}}\n"})
    code, text = project.preview("--policy-pack", "pack")
    assert code == 1
    assert (
        'The project in PROJECT/pack names the virtual environment "../nope" (runtime.options.virtualenv), '
        "but there is no PROJECT/nope/bin/python.\n"
    ) in text


def test_a_policy_pack_runs_in_the_virtual_environment_it_names(project: Any, other_venv: Path) -> None:
    (packages,) = other_venv.glob("lib/python*/site-packages")
    (packages / "pulumi.pth").write_text(str(Path(pulumi.__file__).parents[1]))
    write_pack(project, "ADVISORY")
    project.write(
        {
            "pack/PulumiPolicy.yaml": "runtime: {name: python, options: {virtualenv: ../venv}}\n",
            "pack/__main__.py": PACK.replace("LEVEL", "ADVISORY").replace("{__name__}", "{sys.prefix}"),
        }
    )
    code, text = project.preview("--policy-pack", "pack")
    assert code == 0
    assert f"          one in PROJECT/pack, {project.environment['HOME']}, PROJECT/venv\n" in text
