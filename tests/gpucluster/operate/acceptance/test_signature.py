"""A signed report, and what its verification finds."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gpucluster.cli import main
from tests.says import Says

LOG = Path(__file__).parents[4] / "examples/acceptance/p5-ring-healthy.log"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["acceptance", *map(str, words)])


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
    return path


@pytest.fixture
def report(tmp_path: Path, key: Path) -> Path:
    path = tmp_path / "report.json"
    signed = run("report", LOG, "--format", "json", "-o", path, "--sign", key)
    assert (signed.exit_code, signed.stderr) == (0, f"Wrote {path}.sig\n")
    return path


def test_a_signed_report_is_verified_with_its_logs_and_its_signer(report: Path, key: Path, tmp_path: Path) -> None:
    signers = tmp_path / "signers"
    signers.write_text(f"vendor@example.com {key.with_suffix('.pub').read_text()}")

    known = run("verify", report, LOG, "--signers", signers, "--identity", "vendor@example.com")
    other = run("verify", report, "--signers", signers, "--identity", "somebody@example.com")

    assert (known.exit_code, known.stdout) == (0, Says("vendor@example.com", "ED25519"))
    assert other.exit_code == 2


def test_a_second_signature_takes_the_place_of_the_first(report: Path, key: Path) -> None:
    assert run("report", LOG, "--format", "json", "-o", report, "--sign", key).exit_code == 0
    assert run("verify", report).exit_code == 0


def test_a_changed_report_has_no_good_signature(report: Path) -> None:
    report.write_text(report.read_text().replace("371.4", "391.4"))

    result = run("verify", report)

    assert (result.exit_code, result.stderr) == (2, Says(report, f"{report}.sig"))


def test_a_log_that_the_report_was_not_made_from_is_told(report: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.log"
    changed.write_text(LOG.read_text() + "\n")

    result = run("verify", report, LOG, changed)

    assert (result.exit_code, result.stdout.splitlines()[1:]) == (1, [Says(changed, report)])


def test_a_signed_page_lists_its_logs_by_their_hashes(tmp_path: Path, key: Path) -> None:
    page = tmp_path / "report.txt"
    run("report", LOG, "-o", page, "--sign", key)
    (digest,) = [log["sha256"] for log in json.loads(run("report", LOG, "--format", "json").stdout)["logs"]]

    assert digest in page.read_text()
    assert digest not in run("report", LOG).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("report", LOG, "--sign", "key"), ("--sign", "--output")),
        (("report", LOG, "-o", "FOLDER/a.json", "--sign", "FOLDER/none"), ("a.json", "none")),
        (("verify", "FOLDER/none.json"), ("none.json", "directory")),
        (("verify", "FOLDER/none.json", "--signers", "a"), ("--signers", "--identity")),
    ],
)
def test_what_cannot_be_signed_or_verified_is_told(
    words: tuple[str | Path, ...], said: tuple[str, ...], tmp_path: Path
) -> None:
    result = run(*(str(word).replace("FOLDER", str(tmp_path)) for word in words))

    assert result.exit_code == 2
    assert all(word in result.stderr for word in said)
    assert "Traceback" not in result.stderr


def test_without_ssh_keygen_its_package_is_named(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    assert run("verify", report).stderr == Says("ssh-keygen", "PATH", "OpenSSH")
