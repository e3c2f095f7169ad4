"""Editors find what a program imports of us: in a clone, and by a wheel or an editable installation."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.checkout import LINKS, link
from tests.packaging.conftest import ROOT, Environment, make_environment
from tests.packaging.editor import Editor

pytestmark = pytest.mark.slow

PROGRAM = """\
from gpucluster.cost.prices.book import PriceBook
from gpucluster.errors import Error
"""


def test_a_name_is_found_in_a_clone() -> None:
    link(ROOT)
    with Editor(ROOT) as editor:
        found = editor.definition(ROOT / "gpucluster/operate/spec/check.py", "plan_stack")
    assert (found, found.resolve()) == (
        ROOT / LINKS / "gpucluster/components/stack_plan.py",
        ROOT / "components/stack/stack_plan.py",
    )


@pytest.mark.parametrize("environment", ["only_gcp", "editable"])
def test_a_name_is_found_in_a_project_of_a_user(
    environment: str, source: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    made: Environment = request.getfixturevalue(environment)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with Editor(tmp_path, made.path / "bin/python") as editor:
        book, error = (editor.definition(program, name) for name in ("PriceBook", "Error"))
    if environment == "only_gcp":
        package = made.site_packages / "gpucluster"
        assert (book, error) == (package / "cost/prices/book.py", package / "errors.py")
    else:
        assert (book.resolve(), error.resolve()) == (source / "cost/prices/book.py", source / "gpucluster/errors.py")
    done = made.run(tmp_path, "python", "-c", f"{PROGRAM}print(PriceBook, Error)")
    assert (done.code, done.err) == (0, "")


@pytest.fixture(scope="module")
def editable(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with `pip install --editable` of the sources."""
    return make_environment(source, tmp_path_factory.mktemp("editable"), options=("--no-build-isolation", "--editable"))
