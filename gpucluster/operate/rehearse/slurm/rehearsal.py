"""Rehearses batch scripts on a stack's Slurm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from gpucluster.errors import InputError
from gpucluster.operate.rehearse.slurm.batch import Script, rehearse_scripts
from gpucluster.operate.rehearse.slurm.controller import emulated
from gpucluster.operate.rehearse.slurm.document import BatchReport
from gpucluster.operate.rehearse.slurm.nodes import cluster_of
from gpucluster.operate.rehearse.slurm.packages import find_programs, slurm_version

_FIRST: Final = b"#!"
_SUFFIXES: Final = (".sbatch", ".slurm")


def are_scripts(files: Sequence[Path]) -> bool:
    """Whether the files are batch scripts: `.sbatch`, `.slurm`, or a first line with a shell. Raises InputError for a
    mixture with others.
    """
    scripts = [file for file in files if _is_script(file)]
    if scripts and len(scripts) != len(files):
        other = next(file for file in files if file not in scripts)
        raise InputError(f"{scripts[0]} is a batch script, {other} is not; rehearse them in two commands")
    return bool(scripts)


def _is_script(file: Path) -> bool:
    if file.suffix in _SUFFIXES:
        return True
    try:
        with file.open("rb") as opened:
            return file.is_file() and opened.read(len(_FIRST)) == _FIRST
    except OSError:
        return False


def rehearsed_scripts(
    stack: str, files: Sequence[Path], *, seconds: float, together: bool, say: Callable[[str], None]
) -> BatchReport:
    """Raises InputError for files that can't be read and a stack without Slurm, and NoSlurm."""
    unread = [f"{file}: no such file" for file in files if not file.is_file()]
    if unread:
        raise InputError("\n".join(unread))
    cluster = cluster_of(stack, Path.cwd())
    programs = find_programs(say)
    say(f"starting Slurm with {len(cluster.nodes)} emulated nodes")
    with emulated(programs, cluster) as controller:
        scripts = [Script(source=str(file), path=file.absolute()) for file in files]
        found = rehearse_scripts(controller, cluster, scripts, seconds=seconds, together=together, say=say)
    return BatchReport(stack=stack, nodes=len(cluster.nodes), version=slurm_version(), outcomes=found)
