"""Equivalent H100 training clusters on AWS, Google Cloud and Azure, with their cost in the preview."""

from pathlib import Path

_ABOVE = Path(__file__).resolve().parents[1]
if (_ABOVE / "links" / "gpucluster").is_dir():
    # In a checkout the parts stand beside this folder, whether it is installed or on PYTHONPATH, as each side of a pull
    # request is. By their own paths and not by those of the links: Pulumi shows where a resource is declared.
    __path__[:] = [str(_ABOVE / "gpucluster"), str(_ABOVE)]

from gpucluster.errors import Error  # noqa: E402  (found by the path above)

__all__ = ["Error"]
