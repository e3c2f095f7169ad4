"""Where SDKs are installed."""

from __future__ import annotations

from pathlib import Path

from gpucluster.sandbox.clouds.types.sdk_types import Declaration, Sdk, installed_sdks, read_type, site_packages


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


def test_an_sdk_whose_plugin_names_no_version_has_that_of_its_package(tmp_path: Path) -> None:
    for package, plugin in (("pulumi_synced_folder", '"name": "synced-folder"'), ("pulumi_other", '"server": "x"')):
        (tmp_path / package).mkdir()
        (tmp_path / package / "pulumi-plugin.json").write_text(f'{{"resource": true, {plugin}}}')
    installed = tmp_path / "pulumi_synced_folder-0.12.4.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: pulumi_synced_folder\nVersion: 0.12.4\n")
    assert {sdk.package: sdk.version for sdk in installed_sdks(tmp_path).values()} == {
        "other": "0.0.0",
        "synced-folder": "0.12.4",
    }


def test_a_plugin_file_that_is_cut_off_leaves_the_others(tmp_path: Path) -> None:
    whole = '{"resource": true, "version": "1.0.0"}'
    for package, text in (("pulumi_cut", whole[:12]), ("pulumi_whole", whole)):
        (tmp_path / package).mkdir()
        (tmp_path / package / "pulumi-plugin.json").write_text(text)
    assert [*installed_sdks(tmp_path)] == ["whole"]


def test_an_sdk_is_found_whatever_its_package_is_called(tmp_path: Path) -> None:
    (tmp_path / "company_pulumi_network").mkdir()
    plugin = '{"resource": true, "name": "company-network", "server": "github://api.github.com/company"}'
    (tmp_path / "company_pulumi_network" / "pulumi-plugin.json").write_text(plugin)
    assert [*installed_sdks(tmp_path)] == ["company-network"]


def test_a_data_source_is_found_whatever_capitals_its_name_has(tmp_path: Path) -> None:
    (tmp_path / "kms").mkdir()
    (file := tmp_path / "kms" / "get_kms_key_ring.py").write_text(
        "import pulumi\nclass GetKMSKeyRingResult:\n    pass\n'gcp:kms/getKMSKeyRing:getKMSKeyRing'\n"
    )
    (tmp_path / "__init__.py").touch()
    sdk = Sdk("gcp", "1.0.0", tmp_path)
    assert sdk.declaration("gcp:kms/getKMSKeyRing:getKMSKeyRing") == Declaration(file, "GetKMSKeyRingResult")


def test_a_text_over_several_lines_does_not_end_a_class(tmp_path: Path) -> None:
    (file := tmp_path / "zone.py").write_text(
        '''
class Zone(pulumi.CustomResource):
    @property
    @pulumi.getter
    @_utilities.deprecated("""Use the subscription
to change the plan.
class of subscription: paid.""")
    def plan(self) -> pulumi.Output[str]:
        return pulumi.get(self, "plan")

    @property
    @pulumi.getter
    def status(self) -> pulumi.Output[Optional[int]]:
        return pulumi.get(self, "status")

@pulumi.output_type
class Other:
    pass
'''
    )
    assert read_type(tmp_path, Declaration(file, "Zone"))["outputs"] == {
        "plan": {"type": "str", "required": True},
        "status": {"type": "int", "required": False},
    }
