"""Trainer's ClusterTrainingRuntime, `trainer.kubeflow.org/v1alpha1`, with the rules its API and its webhooks apply.

Source: kubeflow/trainer v2.1.0, pkg/apis/trainer/v1alpha1/trainingruntime_types.go and pkg/webhooks;
kubernetes-sigs/jobset v0.10.1, api/jobset/v1alpha2 and pkg/webhooks/jobset_webhook.go.
"""

from typing import ClassVar, Final, Literal, Self

from pydantic import Field, model_validator

from gpucluster.components.kubernetes.objects import Part, Spec, Text
from gpucluster.components.kubernetes.pod import Name, Pod, PodMetadata

__all__ = ["NODE", "STEP", "TRAINER", "ClusterTrainingRuntime"]

STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"
"""Label of the replicated job that gets image, command and arguments of the TrainJob, with the value `trainer`."""
TRAINER: Final = "trainer"
NODE: Final = "node"
"""The container that Trainer writes to."""


class Torch(Part):
    """numProcPerNode: auto is one process for each GPU."""

    numProcPerNode: Literal["auto", "cpu", "gpu"] | int


class Mpi(Part):
    """runLauncherAsNode: the launcher takes part in the work."""

    numProcPerNode: int = Field(ge=1, description="1 or more")
    mpiImplementation: Literal["OpenMPI"]
    sshAuthMountPath: Text
    runLauncherAsNode: bool = Field(description="true or false")


class MlPolicy(Part):
    """numNodes: where a TrainJob names none."""

    numNodes: int = Field(ge=1, description="1 or more nodes", examples=[1])
    torch: Torch | None = None
    mpi: Mpi | None = None

    @model_validator(mode="after")
    def it_is_of_one_kind(self) -> Self:
        if (self.torch is None) == (self.mpi is None):
            raise ValueError("has torch and mpi both or neither; allowed: one of them; keep one")
        return self


class Network(Part):
    enableDNSHostnames: bool | None = None
    publishNotReadyAddresses: bool | None = None


class SuccessPolicy(Part):
    operator: Literal["All", "Any"]
    targetReplicatedJobs: list[Name] = Field(default=[], description="names of replicated jobs")


class FailurePolicy(Part):
    """maxRestarts: of all pods together, when one has failed."""

    maxRestarts: int = Field(ge=0, description="0 or more")


class PodTemplate(Part):
    metadata: PodMetadata | None = None
    spec: Pod


class JobSpec(Part):
    """backoffLimit: restarts of a single pod."""

    backoffLimit: int = Field(ge=0, description="0 or more")
    template: PodTemplate


class JobTemplate(Part):
    metadata: PodMetadata | None = None
    spec: JobSpec


class Dependency(Part):
    name: Name
    status: Literal["Ready", "Complete"]


class ReplicatedJob(Part):
    """replicas: Trainer takes 1 and nothing else."""

    name: Name
    replicas: Literal[1]
    dependsOn: list[Dependency] = Field(default=[], description="names of jobs before it")
    template: JobTemplate


class JobSetSpec(Part):
    network: Network | None = None
    successPolicy: SuccessPolicy | None = None
    failurePolicy: FailurePolicy | None = None
    replicatedJobs: list[ReplicatedJob] = Field(min_length=1, description="one job or more")


class JobSetTemplate(Part):
    spec: JobSetSpec


class ClusterTrainingRuntime(Spec):
    """What a TrainJob of any namespace becomes."""

    api_version: ClassVar[str] = "trainer.kubeflow.org/v1alpha1"
    kind: ClassVar[str] = "ClusterTrainingRuntime"

    mlPolicy: MlPolicy
    template: JobSetTemplate

    @model_validator(mode="after")
    def trainer_finds_its_job_and_its_container(self) -> Self:
        jobs = self.template.spec.replicatedJobs
        names = [job.name for job in jobs]
        problems = [
            f"has the replicated job {name} twice; allowed: each once; remove one"
            for name in sorted({name for name in names if names.count(name) > 1})
        ]
        steps = [job for job in jobs if job.template.metadata and job.template.metadata.labels.get(STEP) == TRAINER]
        if len(steps) != 1:
            problems.append(
                f"has {len(steps)} replicated jobs labelled {STEP}: {TRAINER}; allowed: one, which takes the command "
                "of the TrainJob; label one"
            )
        problems += [
            f"has the replicated job {job.name} without a container {NODE}; allowed: one of that name, which Trainer "
            "writes to; add it"
            for job in steps
            if NODE not in [container.name for container in job.template.spec.template.spec.containers]
        ]
        for index, job in enumerate(jobs):
            unknown = sorted({before.name for before in job.dependsOn} - set(names[:index]))
            if unknown:
                problems.append(
                    f"has the replicated job {job.name} after {', '.join(unknown)}; allowed: jobs that stand before "
                    "it; move it"
                )
        policy = self.template.spec.successPolicy
        unknown = sorted(set(policy.targetReplicatedJobs) - set(names)) if policy else []
        if unknown:
            problems.append(
                f"has a successPolicy of {', '.join(unknown)}; allowed: {', '.join(names)}; write one of these"
            )
        if problems:
            raise ValueError("\n".join(problems))
        return self
