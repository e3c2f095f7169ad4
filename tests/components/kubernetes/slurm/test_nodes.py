"""The pools of Slurm as its nodes, partitions and files, on each cloud's machines."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import yaml

from gpucluster.components.aws.pools.job_pools import efa_pod
from gpucluster.components.kubernetes.jobs.job_pool import JobPool, elastic_job_pool, mig_job_pool, training_job_pool
from gpucluster.components.kubernetes.slurm.nodes import (
    config_files,
    environment,
    extra_conf,
    node_files,
    slurm_cluster,
    slurm_note,
)
from gpucluster.components.shared.elastic import ElasticMachines, PoolPlan
from gpucluster.components.shared.machine_choice import shape
from gpucluster.components.shared.mig import MigMachines, sliced
from gpucluster.components.shared.training import TrainingNodes
from gpucluster.components.spec.pools import Mig
from gpucluster.core.slurm import slurm_conf

P5, P5_4 = shape("aws", "p5.48xlarge"), shape("aws", "p5.4xlarge")
DEV = PoolPlan(name="dev", max_gpus=2, expected_gpus=None, purchase=("spot",), keep_empty=5, expire_after=None)
IMAGE = "nvcr.io/nvidia/pytorch:25.06-py3"


def pools() -> list[JobPool]:
    training = training_job_pool(TrainingNodes(shape=P5, nodes=4, spares=1))
    nodes, slices = sliced(Mig(nodes=1, layout="4g.40gb+3g.40gb"), "h100", P5_4)
    return [
        replace(training, fabric=efa_pod(P5, None)),
        elastic_job_pool(ElasticMachines(shape=P5_4, pools=(DEV,)), DEV),
        mig_job_pool(MigMachines(shape=P5_4, nodes=nodes, pool=slices)),
    ]


def test_each_pool_is_a_partition_with_the_gpus_of_its_machines() -> None:
    assert slurm_conf(slurm_cluster(pools())).splitlines() == [
        "GresTypes=gpu",
        "NodeName=training-[0-3] CPUs=192 RealMemory=1572864 Gres=gpu:h100:8 Feature=training State=UNKNOWN",
        "NodeName=dev-[0-1] CPUs=16 RealMemory=196608 Gres=gpu:h100:1 Feature=dev State=UNKNOWN",
        "NodeName=mig-[0-7] CPUs=16 RealMemory=196608 Gres=gpu:3g.40gb:1,gpu:4g.40gb:1 Feature=mig State=UNKNOWN",
        "PartitionName=training Nodes=training-[0-3] Default=YES MaxNodes=UNLIMITED MaxTime=UNLIMITED "
        "OverSubscribe=EXCLUSIVE State=UP",
        "PartitionName=dev Nodes=dev-[0-1] Default=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED DefMemPerGPU=196608 "
        "State=UP",
        "PartitionName=mig Nodes=mig-[0-7] Default=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED DefMemPerGPU=98304 State=UP",
    ]


def test_machines_that_are_placed_together_share_a_switch() -> None:
    files = config_files(pools())
    assert files["gres.conf"] == (
        "NodeName=training-[0-3],dev-[0-1] AutoDetect=nvidia\nNodeName=mig-[0-7] AutoDetect=nvml\n"
    )
    assert files["topology.conf"] == (
        "SwitchName=training Nodes=training-[0-3]\n"
        "SwitchName=unplaced Nodes=dev-[0-1],mig-[0-7]\n"
        "SwitchName=cluster Switches=training,unplaced\n"
    )
    [topology] = yaml.safe_load(files["topology.yaml"])
    assert [one["switch"] for one in topology["tree"]["switches"]] == ["training", "unplaced", "cluster"]
    assert {*files} == {"cgroup.conf", "gres.conf", "plugstack.conf", "topology.conf", "topology.yaml"}


def test_the_prolog_gives_a_job_what_the_runtime_gives_a_pod() -> None:
    training = pools()[0]
    assert training.fabric is not None
    given = {**training.fabric.env, "JOB_IMAGE": "nvcr.io#nvidia/pytorch:25.06-py3"}
    assert environment(training, IMAGE) == given
    files = node_files(training, IMAGE, home=False)
    printed = subprocess.run(["/bin/sh", "-c", files["task-prolog"]], capture_output=True, text=True, check=True)
    assert dict(line.removeprefix("export ").split("=", 1) for line in printed.stdout.splitlines()) == given
    shown = subprocess.run(
        ["/bin/sh", "-c", files["environment"] + "env"], capture_output=True, text=True, check=True, env={}
    )
    assert {*(f"{name}={value}" for name, value in given.items())} <= {*shown.stdout.splitlines()}
    assert "TaskProlog=/etc/gpucluster/task-prolog\n" in extra_conf()


def test_containers_of_jobs_have_the_same_paths() -> None:
    training, dev, _ = pools()
    with_home = node_files(training, IMAGE, home=True)["mounts.fstab"].splitlines()
    folders = [line.split()[0] for line in with_home]
    assert folders[:4] == ["/scratch", "/shared", "/homes", "/etc/gpucluster"]
    assert {mount["mountPath"] for mount in training.fabric.mounts} <= {*folders} if training.fabric else False
    assert node_files(dev, IMAGE, home=False)["mounts.fstab"] == (
        "/scratch /scratch none x-create=dir,rbind,rw\n"
        "/shared /shared none x-create=dir,rbind,rw\n"
        "/etc/gpucluster /etc/gpucluster none x-create=dir,rbind,rw\n"
    )


def test_the_plan_says_who_has_which_pool() -> None:
    every = ["training", "dev"]
    assert slurm_note(["training"], every) == "Slurm has the pools training, each a partition; Kueue has dev"
    assert slurm_note(every, every) == (
        "Slurm has the pools training, dev, each a partition; Kueue has no pool, and jobs of Kubernetes get no GPU"
    )
