"""`gpucluster sandbox pulumi` on the real engine."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.run.run import kept
from tests.says import Says
from tests.terminal import in_terminal
from tests.waiting import LIMIT, output_of, wait_for, wait_for_end

pytestmark = [pytest.mark.engine, pytest.mark.checkpoints]

NETWORK = """
    import pulumi
    from pulumi_aws import ec2

    vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16", tags={"team": pulumi.Config().get("team") or "ml"})
    subnet = ec2.Subnet("gpu", vpc_id=vpc.id, cidr_block=pulumi.Config().get("cidr") or "10.0.0.0/24")
    pulumi.export("vpc", vpc.id)
    pulumi.export("tags", vpc.tags_all)
"""

CLUSTER = """
    import json
    import pulumi
    import pulumi_kubernetes as kubernetes
    from pulumi_aws import ec2, eks, iam
    from pulumi_kubernetes.core.v1 import ConfigMap, Namespace

    vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
    subnets = [
        ec2.Subnet(f"s{zone}", vpc_id=vpc.id, cidr_block=f"10.0.{at}.0/24", availability_zone=f"us-east-1{zone}")
        for at, zone in enumerate("ab")
    ]
    role = iam.Role("control", assume_role_policy=json.dumps({"Version": "2012-10-17", "Statement": []}))
    for name in pulumi.Config().require("clusters").split():
        cluster = eks.Cluster(name, role_arn=role.arn, vpc_config={"subnet_ids": [subnet.id for subnet in subnets]})
        kubeconfig = pulumi.Output.json_dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "it",
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
            "clusters": [{"name": "it", "cluster": {
                "server": cluster.endpoint, "certificate-authority-data": cluster.certificate_authority.data,
            }}],
            "users": [{"name": "it", "user": {}}],
        })
        provider = kubernetes.Provider(f"{name}-api", kubeconfig=pulumi.Output.secret(kubeconfig))
        to = pulumi.ResourceOptions(provider=provider)
        namespace = Namespace(f"{name}-ns", metadata={"name": "training"}, opts=to)
        ConfigMap(f"{name}-map", metadata={"namespace": namespace.metadata.name}, data={"of": name}, opts=to)
"""


def test_a_program_in_a_language_without_a_host_is_refused_before_anything_starts(project: Any, tmp_path: Path) -> None:
    project.write(NETWORK)
    settings = yaml.safe_load((project.root / "Pulumi.yaml").read_text())
    (project.root / "Pulumi.yaml").write_text(yaml.safe_dump({**settings, "runtime": "nodejs"}))
    without = {"PATH": str(Path(sys.executable).parent)}
    done = project.run("pulumi", "preview", "--stack", "dev", env=without)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == Says("error", "nodejs", "pulumi-language-nodejs", "missing", "Pulumi", "PATH")
    host = tmp_path / "pulumi-language-nodejs"
    host.write_text(f"#!/bin/sh\necho host >> {tmp_path}/started\nexit 3\n")
    host.chmod(0o755)
    on_path = {"PATH": os.pathsep.join((str(tmp_path), without["PATH"], "/usr/bin", "/bin"))}
    for _ in range(2):
        done = project.run("pulumi", "preview", "--stack", "dev", env=on_path)
        assert done.returncode not in (0, 2)
        assert (tmp_path / "started").is_file(), "the engine did not find the host"
        (tmp_path / "started").unlink()


@pytest.mark.slow
@pytest.mark.core
def test_a_stack_lives_through_preview_up_update_replace_refresh_and_destroy(project: Any) -> None:
    project.write(NETWORK)
    assert project.plan() == {"small-dev": "create", "net": "create", "gpu": "create"}
    project.pulumi("up", "--yes", "--skip-preview")
    first = project.outputs()
    assert first["vpc"].startswith("vpc-")
    assert first["tags"] == {"team": "ml"}
    project.pulumi("preview", "--expect-no-changes")

    project.write(NETWORK, **{"small:team": "vision"})
    assert project.plan() == {"net": "update"}
    project.pulumi("up", "--yes", "--skip-preview")
    assert project.outputs() == {"vpc": first["vpc"], "tags": {"team": "vision"}}

    project.write(NETWORK, **{"small:team": "vision", "small:cidr": "10.0.9.0/24"})
    assert project.plan() == {"gpu": "replace"}
    project.pulumi("up", "--yes", "--skip-preview")
    assert [entry.outputs["cidrBlock"] for entry in project.ledger() if "Subnet" in entry.type] == ["10.0.9.0/24"]
    project.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes")

    project.pulumi("destroy", "--yes", "--skip-preview")
    assert project.ledger() == []


def test_a_stack_nobody_has_names_the_ones_there_are(project: Any) -> None:
    project.write(NETWORK)
    done = project.run("pulumi", "preview", "--stack", "dve")
    assert done.returncode == 2
    expected = "there is no stack 'dve': it has no stacks/Pulumi.dve.yaml; stacks here: dev; did you mean dev?"
    assert expected in done.stderr


def test_the_first_command_of_a_project_creates_its_stack_and_says_so(project: Any) -> None:
    project.write("import pulumi; pulumi.export('answer', 42)")
    file = project.root / "stacks/Pulumi.dev.yaml"
    file.unlink()
    before = project.tree()
    refused = project.run("pulumi", "preview")
    assert (refused.returncode, refused.stderr) == (2, Says("--stack NAME", "preview --stack dev"))
    refused = project.run("pulumi", "destroy", "--yes", "--stack", "dev")
    assert (refused.returncode, refused.stderr) == (2, Says("no stack 'dev'", "stack init dev"))
    done = project.run("pulumi", "preview", "--stack", "dev")
    assert (done.returncode, done.stderr) == (0, Says("Created the stack dev", "stacks/Pulumi.dev.yaml"))
    again = project.run("pulumi", "preview", "--stack", "dev")
    assert (again.returncode, "Created" in again.stderr) == (0, False)
    wrong = project.run("pulumi", "preview", "--stack", "dve")
    assert (wrong.returncode, wrong.stderr) == (2, Says("did you mean dev?", "stack init dve"))
    other = project.run("pulumi", "preview", "--stack", "production")
    assert (other.returncode, other.stderr) == (0, Says("Created the stack production"))
    assert project.tree() == before


def test_a_setting_that_a_provider_lacks_is_asked_for_once_with_the_command_that_sets_it(project: Any) -> None:
    project.write("""
        from pulumi import CustomResource

        for name in "ab":
            CustomResource("aws:ec2/vpc:Vpc", name, {"cidrBlock": "10.0.0.0/16"})
    """)
    file = project.root / "stacks/Pulumi.dev.yaml"
    file.unlink()
    failed = project.run("pulumi", "preview", "--stack", "dev")
    command = "gpucluster sandbox pulumi config set aws:region us-east-1 --stack dev"
    assert failed.returncode != 0
    assert failed.stderr.endswith(f"\nerror: aws:region is missing; run:\n  {command}\n")
    done = project.run(*command.split()[2:])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", Says("Wrote stacks/Pulumi.dev.yaml"))
    assert file.read_text() == "config:\n  aws:region: us-east-1\n"
    assert project.plan().keys() >= {"a", "b"}


@pytest.mark.slow
def test_config_writes_plain_values_as_pulumi_does_and_keeps_secrets_out_of_the_tree(project: Any) -> None:
    project.write('import pulumi\npulumi.export("token", pulumi.Config().get("token"))\n')
    file, own = project.root / "stacks/Pulumi.dev.yaml", project.root / ".sandbox/stacks/Pulumi.dev.yaml"
    kept = "# kept as it is\nconfig:\n  aws:region: us-east-1\n"
    done = project.run("pulumi", "config", "set", "--secret", "token", "open sesame", "--stack", "dev")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == Says("encrypted in .sandbox/stacks/Pulumi.dev.yaml", "`pulumi config set --secret`")
    assert file.read_text() == kept.replace("us-east-1", '"us-east-1"')
    assert "secure:" in own.read_text()
    assert "sesame" not in own.read_text()
    assert project.pulumi("config get token").strip() == "open sesame"
    project.pulumi("up", "--yes", "--skip-preview")
    assert json.loads(project.pulumi("stack output", "--json", "--show-secrets")) == {"token": "open sesame"}
    project.pulumi("config set-all", "--plaintext", "token=plain", "--plaintext", "other:size=2")
    assert yaml.safe_load(file.read_text())["config"] == {
        "aws:region": "us-east-1",
        "other:size": "2",
        "small:token": "plain",
    }
    assert "token" not in own.read_text()
    assert project.pulumi("config get token").strip() == "plain"
    project.pulumi("config rm", "token")
    assert "token" not in file.read_text()
    assert file.read_text().startswith("# kept as it is\n")
    for args in (["set-all", "--secret", "a=b"], ["set", "--secret", "--path", "a.b", "c"]):
        refused = project.run("pulumi", "config", *args, "--stack", "dev")
        assert (refused.returncode, refused.stderr) == (2, Says("error: the sandbox keeps"))


@pytest.mark.slow
def test_a_terminal_is_asked_whether_to_create_an_unknown_stack(project: Any) -> None:
    project.write("import pulumi; pulumi.export('answer', 42)")
    command = [sys.executable, "-m", "gpucluster", "sandbox", "pulumi", "preview", "--stack", "dve"]
    code, shown = in_terminal(command, project.root, [("[y/N]:", "n\n")])
    assert (code, shown) == (2, Says("There is no stack dve. Did you mean dev? Create it? [y/N]", "stack init dve"))
    code, shown = in_terminal(command, project.root, [("[y/N]:", "y\n")])
    assert (code, shown) == (0, Says("the stack dve. Its configuration"))


@pytest.mark.slow
def test_refresh_drops_what_vanished_from_the_cloud(project: Any) -> None:
    from gpucluster.sandbox.clouds.store.ledger import Ledger

    project.write(NETWORK)
    project.pulumi("up", "--yes", "--skip-preview")
    subnet = next(entry for entry in project.ledger() if "Subnet" in entry.type)
    Ledger(project.root / ".sandbox" / "clouds.sqlite3").remove(subnet.provider, subnet.scope, subnet.type, subnet.id)
    project.pulumi("refresh", "--yes", "--skip-preview")
    assert project.plan() == {"gpu": "create"}


@pytest.mark.slow
def test_default_tags_of_the_provider_reach_every_resource_and_their_change_is_seen(project: Any) -> None:
    program = """
        import pulumi
        import pulumi_aws as aws

        tags = {"owner": pulumi.Config().require("owner")}
        to = pulumi.ResourceOptions(provider=aws.Provider("east", region="us-east-1", default_tags={"tags": tags}))
        vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", tags={"a": "b"}, opts=to)
        pulumi.export("tags", vpc.tags_all)
    """
    project.write(program, **{"small:owner": "ann"})
    project.pulumi("up", "--yes", "--skip-preview")
    assert project.outputs() == {"tags": {"owner": "ann", "a": "b"}}
    project.write(program, **{"small:owner": "bob"})
    assert project.plan() == {"east": "update", "net": "update"}


def test_one_name_in_two_regions_is_two_resources(project: Any) -> None:
    project.write("""
        import pulumi
        import pulumi_aws as aws

        for region in ("us-east-1", "us-west-2"):
            to = pulumi.ResourceOptions(provider=aws.Provider(region, region=region))
            group = aws.ec2.PlacementGroup(f"pg-{region}", name="same-name", strategy="cluster", opts=to)
            pulumi.export(region, group.arn)
    """)
    project.pulumi("up", "--yes", "--skip-preview")
    assert project.outputs() == {
        "us-east-1": "arn:aws:ec2:us-east-1:000000000000:placement-group/same-name",
        "us-west-2": "arn:aws:ec2:us-west-2:000000000000:placement-group/same-name",
    }
    assert sorted((entry.scope, entry.id) for entry in project.ledger()) == [
        ("us-east-1", "same-name"),
        ("us-west-2", "same-name"),
    ]


@pytest.mark.slow
def test_objects_of_two_clusters_stay_apart_and_go_with_their_cluster(project: Any) -> None:
    project.write(CLUSTER, **{"small:clusters": "east west"})
    project.pulumi("up", "--yes", "--skip-preview")
    project.pulumi("preview", "--expect-no-changes")
    objects = [entry for entry in project.ledger() if entry.provider == "kubernetes"]
    assert len({entry.scope for entry in objects}) == 2
    assert sorted(entry.inputs["data"]["of"] for entry in objects if "data" in entry.inputs) == ["east", "west"]

    project.write(CLUSTER, **{"small:clusters": "east"})
    project.pulumi("up", "--yes", "--skip-preview")
    objects = [entry for entry in project.ledger() if entry.provider == "kubernetes"]
    assert [entry.inputs["data"]["of"] for entry in objects if "data" in entry.inputs] == ["east"]
    project.pulumi("destroy", "--yes", "--skip-preview")
    assert project.ledger() == []


@pytest.mark.slow
@pytest.mark.core
def test_secrets_are_encrypted_in_the_state(project: Any) -> None:
    project.write("""
        import pulumi
        from pulumi_aws import ec2, ssm

        ec2.LaunchTemplate("lt", user_data=pulumi.Output.secret("c2VjcmV0"), tags={"open": "yes"})
        ssm.Parameter("p", type="SecureString", value=pulumi.Output.secret("c2VjcmV0"))
    """)
    project.pulumi("up", "--yes", "--skip-preview")
    text = (project.root / ".sandbox/state/.pulumi/stacks/small/dev.json").read_text()
    assert "c2VjcmV0" not in text
    state = {
        managed["urn"].rsplit("::", 1)[-1]: managed for managed in json.loads(text)["checkpoint"]["latest"]["resources"]
    }
    for name, prop in (("lt", "userData"), ("p", "value")):
        for kind in ("inputs", "outputs"):
            assert "ciphertext" in state[name][kind][prop]
    assert state["lt"]["outputs"]["tagsAll"] == {"open": "yes"}
    project.pulumi("preview", "--expect-no-changes")


@pytest.mark.slow
def test_a_new_launch_template_version_updates_the_node_group_in_place(project: Any) -> None:
    program = """
        import json
        import pulumi
        from pulumi_aws import ec2, eks, iam

        trust = {"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}
        role = iam.Role("r", assume_role_policy=json.dumps({"Version": "2012-10-17", "Statement": [trust]}))
        vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
        subnets = [
            ec2.Subnet(zone, vpc_id=vpc.id, cidr_block=f"10.0.{at}.0/24", availability_zone=f"us-east-1{zone}")
            for at, zone in enumerate("ab")
        ]
        ids = [subnet.id for subnet in subnets]
        cluster = eks.Cluster("c", role_arn=role.arn, vpc_config={"subnet_ids": ids})
        template = ec2.LaunchTemplate("lt", instance_type=pulumi.Config().require("type"))
        eks.NodeGroup(
            "pool", cluster_name=cluster.name, node_role_arn=role.arn, subnet_ids=ids[:1],
            scaling_config={"min_size": 1, "desired_size": 1, "max_size": 1},
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
        )
        pulumi.export("version", template.latest_version)
    """
    project.write(program, **{"small:type": "p5.48xlarge"})
    project.pulumi("up", "--yes", "--skip-preview")
    project.pulumi("preview", "--expect-no-changes")
    project.write(program, **{"small:type": "p5en.48xlarge"})
    assert project.plan() == {"lt": "update", "pool": "update"}
    project.pulumi("up", "--yes", "--skip-preview")
    assert project.outputs() == {"version": 2}


def test_no_key_token_or_kubeconfig_of_the_caller_reaches_a_program(project: Any) -> None:
    project.write("""
        import os
        import pulumi

        pulumi.export("names", sorted(os.environ))
        pulumi.export("home", os.listdir(os.path.expanduser("~")))
    """)
    keys = {
        "AWS_ACCESS_KEY_ID": "AKIAFAKE",
        "AWS_PROFILE": "real",
        "GOOGLE_APPLICATION_CREDENTIALS": "/real.json",
        "AZURE_CLIENT_SECRET": "fake",
        "ARM_CLIENT_SECRET": "fake",
        "KUBECONFIG": "/real",
        "PULUMI_ACCESS_TOKEN": "pul-fake",
        "GITHUB_TOKEN": "fake",
        "SSH_AUTH_SOCK": "/real",
    }
    project.pulumi("up", "--yes", "--skip-preview", env=keys)
    outputs = project.outputs()
    assert not set(keys) & set(outputs["names"])
    assert outputs["home"] == []


def test_a_real_plugin_on_path_is_never_started(project: Any, tmp_path: Path) -> None:
    marker = tmp_path / "started"
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("pulumi-resource-aws", "aws", "kubectl"):
        plugin = folder / name
        plugin.write_text(f"#!/bin/sh\ntouch {marker}\nexit 1\n")
        plugin.chmod(0o755)
    home = tmp_path / "home" / ".pulumi" / "plugins" / "resource-aws-v7.51.1"
    home.mkdir(parents=True)
    shutil.copy(folder / "pulumi-resource-aws", home)
    project.write(NETWORK)
    env = {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path / "home"),
        "AWS_ACCESS_KEY_ID": "AKIA",
    }
    project.pulumi("preview", env={**env, "GPUCLUSTER_CACHE": str(_cache())})
    assert not marker.exists()


def _cache() -> Path:
    from gpucluster.sandbox.clouds.types.schema import cache_folder

    return cache_folder()


@pytest.mark.slow
def test_the_working_tree_stays_as_it_is(project: Any) -> None:
    project.write(NETWORK)
    before = project.tree()
    project.pulumi("up", "--yes", "--skip-preview", "-c", "small:team=vision")
    for command in ("preview", "config", "stack output", "stack export", "stack history"):
        project.pulumi(command)
    project.run("pulumi", "stack", "select", "dev")
    project.pulumi("destroy", "--yes", "--skip-preview")
    assert project.run("pulumi", "stack", "rm", "dev", "--yes").returncode == 0
    assert project.tree() == before


@pytest.mark.slow
def test_secrets_for_a_real_account_are_replaced_by_a_placeholder_and_named(project: Any) -> None:
    project.write('import pulumi\npulumi.export("token", pulumi.Config().require("token"))\n')
    file = project.root / "stacks" / "Pulumi.dev.yaml"
    file.write_text("encryptionsalt: v1:abc:v1:def\nconfig:\n  small:token:\n    secure: v1:zzzz\n")
    done = project.run("pulumi", "up", "--yes", "--skip-preview", "--stack", "dev")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "small:token is encrypted for a real account" in done.stderr
    assert project.outputs() == {"token": "not readable in the sandbox"}


MESSAGE = 'import pulumi\npulumi.log.info("cost of it\\n  compute  $1,000.00\\n\\n  total    $1,000.00")\n'


@pytest.mark.parametrize("flags", [(), ("--color", "always"), ("--suppress-progress",)], ids=str)
def test_a_message_of_several_lines_is_printed_once_in_a_pipe(project: Any, flags: tuple[str, ...]) -> None:
    project.write(MESSAGE)
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in project.pulumi("preview", *flags).splitlines()]
    start = next(at for at, line in enumerate(lines) if "cost of it" in line)
    assert [line.strip() for line in lines[start : start + 4]] == [
        "cost of it",
        "compute  $1,000.00",
        "",
        "total    $1,000.00",
    ]
    assert sum("$1,000.00" in line for line in lines) == 2


WIDTH = 'import os\nimport pulumi\npulumi.export("columns", os.environ.get("COLUMNS", "not said"))\n'


@pytest.mark.slow
def test_a_program_knows_how_wide_the_terminal_is(project: Any) -> None:
    project.write(WIDTH)
    assert re.search('columns *: "93"', re.sub(r"\x1b\[[0-9;]*m", "", _in_terminal(project, 93)))
    assert re.search('columns *: "not said"', project.pulumi("preview", env={"COLUMNS": "93"}))


@pytest.mark.slow
def test_nothing_is_coloured_where_the_user_wants_no_colours(project: Any) -> None:
    project.write(NETWORK)
    assert "\x1b[2mSIMULATED" in _in_terminal(project, 80)
    plain = _in_terminal(project, 80, NO_COLOR="1")
    assert "SIMULATED" in plain
    assert re.findall(r"\x1b\[[0-9;]*m", plain) == []


def _in_terminal(project: Any, columns: int, **env: str) -> str:
    """What a preview writes to a terminal."""
    command = [sys.executable, "-m", "gpucluster", "sandbox", "pulumi", "preview", "--stack", "dev"]
    code, shown = in_terminal(command, project.root, (), columns=columns, **env)
    assert code == 0, shown
    return shown


def test_data_goes_to_stdout_and_the_banner_to_stderr(project: Any) -> None:
    project.write(NETWORK)
    done = project.run("pulumi", "preview", "--json", "--stack", "dev")
    assert json.loads(done.stdout)["changeSummary"] == {"create": 3}
    assert [line for line in done.stderr.splitlines() if "SIMULATED" in line] == done.stderr.splitlines()[:1]


PACK = 'write a folder with a PulumiPolicy.yaml, or for rules of gpucluster "$(gpucluster guardrails pack'


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("config refresh --stack dev", "edit stacks/Pulumi.dev.yaml instead"),
        ("login", "would leave the sandbox's own state"),
        ("preview", "no stack is selected; add --stack NAME"),
        ("preview --stack dev --policy-pack=", f"is empty, so no rule would run; {PACK} training)"),
        ("preview --stack dev --policy-pack stacks", f"--policy-pack is 'stacks'; {PACK} stacks)"),
        ("up --yes --stack dev --policy-pack polices", f"--policy-pack is 'polices'; {PACK} training)"),
    ],
)
def test_what_the_sandbox_does_not_do_is_refused_as_the_user_s_input(project: Any, command: str, message: str) -> None:
    project.write(NETWORK)
    before = project.tree()
    done = project.run("pulumi", *command.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert project.tree() == before


def test_a_misspelt_amount_of_output_is_refused_before_a_program_runs(project: Any) -> None:
    project.write(NETWORK)
    before = project.tree()
    done = project.run("pulumi", "preview", "--stack", "dev", env={"GPUCLUSTER_OUTPUT": "ful"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: GPUCLUSTER_OUTPUT is 'ful'; write full, or unset it\n"
    assert project.tree() == before


def test_stacks_are_made_selected_and_removed_without_a_trace_in_the_tree(project: Any) -> None:
    project.write(NETWORK)
    before = project.tree()
    made = project.run("pulumi", "stack", "init", "two")
    assert (made.returncode, made.stderr) == (0, Says("Created the stack two"))
    assert project.run("pulumi", "stack", "--show-name").stdout.strip() == "two"
    assert "exists already" in project.run("pulumi", "stack", "init", "two").stderr
    assert project.run("pulumi", "stack", "select", "three", "--create").returncode == 0
    assert project.run("pulumi", "stack", "rm", "three", "--yes").returncode == 0
    assert project.tree() == before


def test_a_damaged_ledger_is_named_and_can_be_forgotten(project: Any) -> None:
    project.write(NETWORK)
    (project.root / ".sandbox").mkdir()
    (project.root / ".sandbox" / "clouds.sqlite3").write_text("this is no database")
    for command in (("pulumi", "preview", "--stack", "dev"), ("status",)):
        done = project.run(*command)
        assert done.returncode == 2
        wrong = (
            "is damaged (file is not a database); no copy of it is left: `gpucluster sandbox reset` forgets everything"
        )
        assert wrong in done.stderr
    assert project.run("reset", "--yes").returncode == 0
    project.pulumi("preview")


def test_the_exit_code_is_the_one_of_pulumi(project: Any) -> None:
    project.write(NETWORK)
    assert project.run("pulumi", "preview", "--stack", "dev").returncode == 0
    done = project.run("pulumi", "preview", "--stack", "dev", "--expect-no-changes")
    assert done.returncode not in (0, 2, 3)
    assert project.run("pulumi", "no-such-command").returncode not in (0, 2, 3)


@pytest.mark.slow
def test_an_unlisted_property_is_reported_as_not_modelled(project: Any) -> None:
    program = """
        import pulumi
        from pulumi_aws import kinesis

        kinesis.Stream("t", name="t", kms_key_id=pulumi.Config().require("key"))
    """
    project.write(program, **{"small:key": "one"})
    project.pulumi("up", "--yes", "--skip-preview")
    project.write(program, **{"small:key": "two"})
    assert "replacement not modelled for aws:kinesis/stream:Stream.kmsKeyId" in project.pulumi("preview")


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare")
@pytest.mark.slow
@pytest.mark.core
def test_everything_works_with_only_loopback_up(project: Any) -> None:
    probe = subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False)
    if probe.returncode != 0:
        pytest.skip("this machine does not allow user namespaces")
    project.write(NETWORK)
    up = ("unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
    for command in (("up", "--yes"), ("destroy", "--yes")):
        done = project.run("pulumi", *command, "--stack", "dev", before=up)
        assert done.returncode == 0, done.stdout + done.stderr
    assert project.ledger() == []


def start(project: Any, *command: str) -> subprocess.Popen[bytes]:
    """Starts `gpucluster sandbox pulumi COMMAND` in a process group of its own, as a shell does."""
    args = [sys.executable, "-m", "gpucluster", "sandbox", "pulumi", *command, "--stack", "dev"]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(args, cwd=project.root, stdin=quiet, stdout=quiet, stderr=quiet, process_group=0)


def made_by(project: Any) -> list[Entry]:
    """What the clouds have, also before the first run."""
    return project.ledger() if (project.root / ".sandbox" / "clouds.sqlite3").exists() else []


WAITS = """
    import time
    import pulumi
    from pulumi_aws import ec2

    vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
    pulumi.export("vpc", vpc.id)
    if pulumi.Config().get_bool("wait"):
        vpc.id.apply(lambda _: time.sleep(3600))
"""


def test_nothing_is_left_running_when_the_sandbox_is_killed(project: Any) -> None:
    project.write(WAITS, **{"small:wait": "true"})
    process = start(project, "up", "--yes", "--skip-preview")
    wait_for("the network is made", lambda: made_by(project), of=process)
    family = psutil.Process(process.pid).children(recursive=True)
    assert len(family) >= 3
    process.kill()
    process.wait()
    wait_for_end(family)


@pytest.mark.slow
def test_no_command_leaves_anything_in_the_temporary_folder(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("TMPDIR", folder)
        project.write(WAITS, **{"small:wait": "true"})
        killed = start(project, "up", "--yes", "--skip-preview")
        wait_for("the network is made", lambda: made_by(project), of=killed)
        family = psutil.Process(killed.pid).children(recursive=True)
        killed.kill()
        killed.wait()
        wait_for_end(family)
        project.write(WAITS)
        assert project.run("recover").returncode == 0
        for command in ("preview", "up --yes", "destroy --yes"):
            project.pulumi(command)
            assert [*Path(folder).iterdir()] == [], command


@pytest.mark.slow
def test_a_language_host_that_dies_is_named_with_the_way_on(project: Any) -> None:
    project.write(WAITS, **{"small:wait": "true"})
    args = [sys.executable, "-m", "gpucluster", "sandbox", "pulumi", "up", "--yes", "--skip-preview", "--stack", "dev"]
    pipe = subprocess.PIPE
    with subprocess.Popen(args, cwd=project.root, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True) as run:
        wait_for("the network is made", lambda: made_by(project), of=run)
        host = next(
            child
            for child in psutil.Process(run.pid).children()
            if "gpucluster.sandbox.engine.language_host" in child.cmdline()
        )
        host.kill()
        _, said = output_of(run)
    assert run.returncode != 0
    assert "run `gpucluster sandbox recover`, then the same command again" in said
    project.write(WAITS)
    assert project.run("recover").returncode == 0
    project.pulumi("up", "--yes", "--skip-preview")
    assert len(project.ledger()) == 1


@pytest.mark.slow
@pytest.mark.core
def test_after_an_interrupt_the_state_knows_all_that_was_made(project: Any) -> None:
    project.write(WAITS, **{"small:wait": "true"})
    process = start(project, "up", "--yes", "--skip-preview")
    wait_for("the network is made", lambda: made_by(project), of=process)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(LIMIT) != 0
    (made,) = project.ledger()

    project.write(WAITS)
    project.pulumi("up", "--yes", "--skip-preview")
    assert [entry.id for entry in project.ledger()] == [made.id]
    assert project.outputs() == {"vpc": made.id}


@pytest.mark.slow
def test_two_runs_at_the_same_time_do_not_disturb_each_other(project: Any) -> None:
    project.write(NETWORK)
    project.pulumi("up", "--yes", "--skip-preview")
    runs = [start(project, "preview", "--expect-no-changes") for _ in range(2)]
    assert [run.wait(LIMIT) for run in runs] == [0, 0]


@pytest.mark.slow
def test_a_resource_that_exists_can_be_looked_up_and_one_that_does_not_is_made_up(project: Any) -> None:
    project.write(NETWORK)
    project.pulumi("up", "--yes", "--skip-preview")
    lookup = """
        import pulumi
        from pulumi_aws import ec2

        pulumi.export("block", ec2.Vpc.get("there", pulumi.Config().require("id")).cidr_block)
    """
    vpc = project.outputs()["vpc"]
    project.write(lookup, **{"small:id": vpc})
    assert 'block: "10.0.0.0/16"' in project.pulumi("preview")
    project.write(lookup, **{"small:id": "vpc-0"})
    assert "aws:ec2/vpc:Vpc 'vpc-0' is not in the sandbox: what it holds is made up" in project.pulumi("preview")


@pytest.mark.slow
def test_status_lists_what_exists_and_reset_forgets_it(project: Any) -> None:
    project.write(NETWORK)
    project.pulumi("up", "--yes", "--skip-preview")
    listed = json.loads(project.run("status", "--format", "json").stdout)
    assert listed["counts"] == {"aws": 2}
    assert [(managed["scope"], managed["type"]) for managed in listed["resources"]] == [
        ("us-east-1", "aws:ec2/subnet:Subnet"),
        ("us-east-1", "aws:ec2/vpc:Vpc"),
    ]
    table = project.run("status").stdout
    assert all(managed["id"] in table for managed in listed["resources"])

    refused = project.run("reset")
    assert (refused.returncode, (project.root / ".sandbox").exists()) == (2, True)
    assert "add --yes" in refused.stderr
    assert project.run("reset", "--yes").returncode == 0
    assert not (project.root / ".sandbox").exists()
    assert "Nothing exists" in project.run("status").stdout


def resource(type_: str, name: str, **more: Any) -> dict[str, Any]:
    return {"urn": f"urn:pulumi:dev::small::{type_}::{name}", "type": type_, "custom": True, "id": f"{name}-1", **more}


def test_nothing_protected_is_nothing_to_say() -> None:
    assert kept([resource("aws:ec2/vpc:Vpc", "net")], "dev") == ""
    assert kept([], "dev") == ""


def test_what_is_protected_is_named_with_what_it_needs_and_the_commands() -> None:
    state: list[Mapping[str, Any]] = [
        resource("pulumi:providers:aws", "aws"),
        {"urn": "urn:pulumi:dev::small::my:Storage::s", "type": "my:Storage", "custom": False},
        resource("aws:ec2/vpc:Vpc", "net"),
        resource("aws:ec2/subnet:Subnet", "a"),
        resource("aws:ec2/subnet:Subnet", "b"),
        resource("aws:efs/fileSystem:FileSystem", "files", protect=True),
    ]
    assert kept(state, "dev").splitlines() == [
        "Kept, because it is protected:",
        "  files  aws:efs/fileSystem:FileSystem  files-1",
        "Also not deleted: resources that the protected ones depend on: 2 x aws:ec2/subnet:Subnet, aws:ec2/vpc:Vpc",
        "Kept resources are still billed. To release them, then destroy again:",
        "  gpucluster sandbox pulumi state unprotect --yes --stack dev "
        "'urn:pulumi:dev::small::aws:efs/fileSystem:FileSystem::files'",
    ]
