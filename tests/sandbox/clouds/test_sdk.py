"""Where SDKs are installed."""

from __future__ import annotations

from pathlib import Path

from sandbox.clouds.sdk import installed_sdks, site_packages


def test_the_sdks_of_this_environment_are_found_with_their_versions() -> None:
    from importlib.metadata import version

    sdks = installed_sdks(site_packages(None))
    assert {"aws", "gcp", "kubernetes"} <= set(sdks)
    assert sdks["aws"].version == version("pulumi-aws")


def test_another_virtual_environment_is_looked_into(tmp_path: Path) -> None:
    folder = tmp_path / "lib" / "python3.11" / "site-packages" / "pulumi_thing"
    folder.mkdir(parents=True)
    (folder / "pulumi-plugin.json").write_text('{"resource": true, "name": "thing", "version": "v1.2.3"}')
    sdks = installed_sdks(site_packages(tmp_path))
    assert [(sdk.package, sdk.version, sdk.root) for sdk in sdks.values()] == [("thing", "1.2.3", folder)]
