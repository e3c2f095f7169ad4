"""Maps the folders of this repository into one package, `gpucluster`: `gpucluster.cost` is `cost/`, and so on."""

from setuptools import find_packages, setup

FOLDERS = (
    "acceptance",
    "account",
    "catalog",
    "components",
    "cost",
    "judges",
    "policies",
    "program",
    "pull_request",
    "quote",
    "rehearse",
    "sandbox",
    "textio",
)

setup(
    packages=[
        *find_packages(include=["gpucluster", "gpucluster.*"]),
        *(f"gpucluster.{found}" for folder in FOLDERS for found in find_packages(include=[folder, f"{folder}.*"])),
    ],
    package_dir={"gpucluster": "gpucluster", **{f"gpucluster.{folder}": folder for folder in FOLDERS}},
)
