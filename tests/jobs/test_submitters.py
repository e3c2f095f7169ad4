"""What people who submit jobs may do, asked of a real API server with the roles and policies of a plan: every command
of the pages about jobs, every example, and what neither role nor policy may let through.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.kubernetes.slurm.objects import SLURM_SHELL
from gpucluster.components.kubernetes.slurm.slurm import IN_SLURM
from gpucluster.components.kubernetes.submitters import EXEC, IN_CLUSTER, IN_NAMESPACE, Right
from gpucluster.cost.prices import Price
from gpucluster.cost.pricing.plan_prices import machine_price
from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.definitions import definitions_of, source_of
from gpucluster.sandbox.api_server.server import open_server
from tests.components.recorded import plan_of
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]
PAGES = ("docs/run/jobs.md", "docs/run/data.md", "docs/run/mig.md", "docs/run/teams.md")
# The plan has no slices and is in no fleet, whose example tests/jobs/test_fleet.py tries.
EXAMPLES = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "examples/jobs").rglob("*.yaml")
    if not re.search("queue-name: (mig|fleet)", path.read_text())
)
GROUPS = ["gpucluster:training", "gpucluster:team-vision"]
NOT_RUN = {
    "kubectl label namespace NAME gpucluster/gpu-nodes=allowed": "the page says that an administrator does it",
    "kubectl -n training logs --follow job/copy-in": "waits for a pod, which a controller makes",
    "kubectl -n training logs --follow job/copy-out": "waits for a pod, which a controller makes",
}
"""Commands of the pages -> why they are not run here."""
NAMES = {"NAME": "held", "POD": "held"}
OTHER_RAY = ("rayjobs.ray.io", "rayservices.ray.io")


def _commands(page: str) -> Iterator[str]:
    """Those with kubectl, in the page's order: lines of blocks without a language, and within sentences."""
    parts = re.findall(r"^```(\w*)\n(.*?)^```$|`([^`]+)`", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    for language, block, inline in parts:
        if language:
            continue
        if inline:
            # A sentence breaks its lines anywhere; one that is a command has more than the name of one.
            commands = [" ".join(inline.split())]
        else:
            # A quote or a pipe goes on in the next line.
            commands = re.findall(r"(?:\|\n|[^\n']|'[^']*')+", re.sub(r"\s+#.*$", "", block, flags=re.MULTILINE))
        for command in commands:
            if re.search(r"(^|\| )kubectl (-n \S+ )?\w+[ /]\S", command):
                yield command.strip()


COMMANDS = [(page, command) for page in PAGES for command in _commands(page)]


@dataclass(frozen=True)
class Person:
    """Types commands; kubectl acts for somebody."""

    folder: Path
    env: Mapping[str, str]

    def types(self, command: str, text: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=ROOT,
            env=self.env,
            input=text,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def refusal(self, command: str, *documents: Mapping[str, Any]) -> str:
        """What kubectl says of a command that fails; nothing of one that does not. documents: for its input."""
        done = self.types(command, "---\n".join(map(json.dumps, documents)))
        return "" if done.returncode == 0 else done.stderr


@dataclass(frozen=True)
class People:
    """admin: with all rights. submitter: in the groups of `training` and of the team vision."""

    admin: Client
    submitter: Person


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    folder, binaries = tmp_path_factory.mktemp("submitters"), find_binaries()
    with open_server(folder / "server", binaries) as server:
        client = Client(server)
        _build(client)
        _build_slurm(client)
        config = server.kubeconfig()
        config["users"][0]["user"] |= {"as": "ada", "as-groups": GROUPS}
        (folder / "kubeconfig").write_text(json.dumps(config))
        env = {
            "PATH": f"{binaries.kubectl.parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "KUBECONFIG": str(folder / "kubeconfig"),
        }
        found = People(client, Person(folder, env))
        wait_for("the policy is in force", lambda: found.submitter.refusal("kubectl apply -f -", _service("NodePort")))
        root = f"kubectl -n slurm exec {LOGIN_POD} -- bash"
        wait_for("the policy of the login node is, too", lambda: "submitters act as" in found.submitter.refusal(root))
        yield found


def _build(client: Client) -> None:
    """The objects of a plan with submitters and teams, and a job's as its controllers leave it."""
    plan = plan_of("aws", "teams-and-buckets")
    declared = [inputs for name, inputs in plan.inputs.items() if plan.types[name].startswith("kubernetes:")]
    releases = [(it["chart"].rpartition("/")[2], it["version"]) for it in declared if "chart" in it]
    # Objects of Karpenter have names that only the cloud gives.
    charts = [it for it in releases if not it[0].startswith("karpenter")] + [("kuberay-operator", "1.6.2")]
    sources = [source_of(chart, version) for chart, version in charts]
    for source in filter(None, sources):
        # Those of Ray are large: the one of the example.
        client.define(it for it in definitions_of(source) if it["metadata"]["name"] not in OTHER_RAY)
    objects = [it for it in declared if "kind" in it and client.knows(it["apiVersion"], it["kind"])]
    for document in sorted(objects, key=lambda it: it["kind"] != "Namespace"):
        if document["metadata"].get("name"):
            client.apply(document)
    spec = {"containers": [{"name": name, "image": "it:1"} for name in ("it", "fabric-ready")]}
    held = {"name": "held", "namespace": "training"}
    client.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {**held, "name": "default"}})
    client.create({"apiVersion": "v1", "kind": "Pod", "metadata": held, "spec": spec})
    podsets = [{"name": "main", "count": 1, "template": {"spec": spec}}]
    client.create(
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "Workload",
            "metadata": held,
            "spec": {"queueName": "training", "active": False, "podSets": podsets},
        }
    )


LOGIN_POD = "login-7ff66445b5-wdjkn"
"""As the controller of a deployment names it."""
SLURM_PODS = (LOGIN_POD, "slurm-controller-0", "login-0", "training-0")
"""The third is of a node set that has the name of the deployment."""


def _build_slurm(client: Client) -> None:
    """What a plan with Slurm and submitters has in its namespace, and pods as the operator makes them."""
    plan = plan_of("aws", "slurm")
    for name in (
        "slurm-namespace",
        "slurm-login-policy",
        "slurm-login-policy-binding",
        "slurm-submitters-role",
        "slurm-submitters-binding",
    ):
        client.apply(plan.inputs[name])
    space, labels = {"namespace": "slurm"}, {"app.kubernetes.io/name": "login"}
    client.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {**space, "name": "default"}})
    containers = {"containers": [{"name": "login", "image": "it:1"}]}
    for name in SLURM_PODS:
        marks = labels if name == LOGIN_POD else {}
        client.create(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {**space, "name": name, "labels": marks},
                "spec": containers,
            }
        )
    template = {"metadata": {"labels": labels}, "spec": containers}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    client.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {**space, "name": "login"}, "spec": spec})


def _core(kind: str, name: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "training"}, **fields}


def _service(kind: str) -> dict[str, Any]:
    return _core("Service", "it", spec={"type": kind, "selector": {"app": "it"}, "ports": [{"port": 80}]})


def _claim(**spec: Any) -> dict[str, Any]:
    size = {"requests": {"storage": "1Gi"}}
    return _core("PersistentVolumeClaim", "it", spec={"accessModes": ["ReadWriteOnce"], "resources": size, **spec})


def test_every_command_that_is_not_run_is_of_a_page() -> None:
    assert {*NOT_RUN} - {command for _, command in COMMANDS} == set()


def test_every_page_but_the_one_about_slices_has_commands() -> None:
    assert {page for page, _ in COMMANDS} == {*PAGES} - {"docs/run/mig.md"}


def test_a_submitter_may_type_every_command_of_the_pages_about_jobs(people: People) -> None:
    """In the order of the pages: what one makes the next one reads."""
    refused: dict[str, str] = {}
    for _, command in COMMANDS:
        if command in NOT_RUN or ("jq" in command and not shutil.which("jq")):
            continue
        for placeholder, name in NAMES.items():
            command = re.sub(rf"\b{placeholder}\b", name, command)
        done = people.submitter.types(command)
        # No kubelet answers: the request for a log comes as far as the pod's node.
        if done.returncode and "does not have a host assigned" not in done.stderr:
            refused[command] = done.stderr
    assert refused == {}


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_submitter_makes_changes_and_removes_every_example(people: People, example: str) -> None:
    for command in ("apply", "get", "label --overwrite=true tried=yes", "delete --wait=false"):
        verb, *more = command.split()
        assert people.submitter.refusal(" ".join(["kubectl", verb, "-f", example, *more])) == ""


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("CronJob", {"schedule": "0 0 * * *", "jobTemplate": "job"}),
        ("JobSet", {"replicatedJobs": [{"name": "it", "template": "job"}]}),
        ("Pod", {}),
    ],
)
def test_a_submitter_makes_other_objects_with_pods(people: People, kind: str, fields: dict[str, Any]) -> None:
    versions = {"CronJob": "batch/v1", "JobSet": "jobset.x-k8s.io/v1alpha2", "Pod": "v1"}
    pod = {"restartPolicy": "Never", "containers": [{"name": "it", "image": "it:1"}]}
    job = {"spec": {"template": {"spec": pod}}}
    text = json.dumps({**_core(kind, "made", spec=fields or pod), "apiVersion": versions[kind]})
    document = json.loads(text.replace('"job"', json.dumps(job)))
    assert people.submitter.refusal("kubectl apply -f -", document) == ""
    assert people.submitter.refusal(f"kubectl -n training delete {kind} made --wait=false") == ""


def test_a_secret_is_made_and_removed_and_never_read(people: People) -> None:
    types = people.submitter.types
    assert types("kubectl -n training create secret generic token --from-literal=HF_TOKEN=sesame").returncode == 0
    attempts = (
        "kubectl -n training get secret token -o yaml",
        "kubectl -n training get secrets -o yaml",
        "kubectl -n training get secrets --watch",
        "kubectl -n training describe secret token",
        # The answer to a change is the whole object.
        "kubectl -n training patch secret token -p '{}' -o yaml",
        "kubectl -n training label secret token a=b -o yaml",
        "kubectl -n training create secret generic token --from-literal=a=b -o yaml",
        "kubectl -n training delete secrets --all",
    )
    answers = [types(attempt) for attempt in attempts]
    assert [attempt for attempt, done in zip(attempts, answers, strict=True) if done.returncode == 0] == []
    assert "c2VzYW1l" not in "".join(done.stdout + done.stderr for done in answers)
    assert types("kubectl -n training delete secret token").returncode == 0
    assert people.admin.get(_core("Secret", "token")) is None


def test_a_token_of_an_account_is_no_secret_of_a_submitter(people: People) -> None:
    metadata = {"annotations": {"kubernetes.io/service-account.name": "data"}, "name": "it", "namespace": "training"}
    secret = {**_core("Secret", "it", type="kubernetes.io/service-account-token"), "metadata": metadata}
    assert "by spec.serviceAccountName" in people.submitter.refusal("kubectl create -f -", secret)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (_service("ClusterIP"), ""),
        (_service("LoadBalancer"), "allowed: ClusterIP"),
        (_service("NodePort"), "allowed: ClusterIP"),
        (_core("Service", "it", spec={"type": "ExternalName", "externalName": "a.example"}), "allowed: ClusterIP"),
        (_core("Service", "it", spec={"externalIPs": ["10.0.0.1"], "ports": [{"port": 80}]}), "allowed: ClusterIP"),
        (_claim(), ""),
        (_claim(storageClassName="gp3"), ""),
        (_claim(storageClassName="efs"), "allowed classes: gp3"),
        (_claim(storageClassName=""), "allowed classes: gp3"),
        (_claim(storageClassName="gp3", volumeName="of-another"), "others' volumes are theirs"),
        (_core("ConfigMap", "it", data={"train.py": "print()"}), ""),
        (_core("ConfigMap", "data-buckets", data={}), "one of the cluster's own"),
        (_core("ServiceAccount", "it"), "forbidden"),
        (_core("Pod", "held", spec={"activeDeadlineSeconds": 1, "containers": []}), "forbidden"),
    ],
    ids=lambda it: json.dumps(it)[-60:] if isinstance(it, dict) else None,
)
def test_a_submitter_makes_what_stays_within_the_limits(people: People, document: dict[str, Any], said: str) -> None:
    for command in ("kubectl create --dry-run=server -f -", "kubectl apply --server-side --force-conflicts -f -"):
        there = command.startswith("kubectl create") and document["metadata"]["name"] != "it"
        refusal = "" if there else people.submitter.refusal(command, document)
        assert (said in refusal) if said and not there else refusal == ""
    if not said:
        assert people.submitter.refusal("kubectl delete --wait=false -f -", document) == ""


@pytest.mark.parametrize("name", ["kube-system:statefulset-controller", "training:data"])
def test_a_claim_is_within_the_limits_whoever_makes_it_for_a_submitter(people: People, name: str) -> None:
    group = "system:serviceaccounts" if name.startswith("kube-system") else GROUPS[0]
    create = f"kubectl --as system:serviceaccount:{name} --as-group {group} create -f -"
    assert "allowed classes: gp3" in people.submitter.refusal(create, _claim(storageClassName="efs"))
    assert people.submitter.refusal(create, _claim()) == ""
    assert people.submitter.refusal("kubectl -n training delete pvc it --wait=false") == ""


def test_the_claim_of_all_jobs_is_not_a_submitters_to_delete(people: People) -> None:
    for command in (
        "delete pvc shared --wait=false",
        "delete configmap data-buckets",
        "label pvc shared pulumi-stack-",
    ):
        assert "one of the cluster's own" in people.submitter.refusal(f"kubectl -n training {command}")


@pytest.mark.parametrize(
    "change",
    [
        {"spec": {"priority": 1_000_000}},
        {"spec": {"queueName": "dev"}},
        {"spec": {"active": True, "maximumExecutionTimeSeconds": 1}},
        {"metadata": {"labels": {"kueue.x-k8s.io/job-uid": "another"}}},
        {"metadata": {"annotations": {"a": "b"}}},
        {"metadata": {"finalizers": ["example.com/for-ever"]}},
    ],
    ids=json.dumps,
)
def test_of_a_workload_only_active_is_changed(people: People, change: dict[str, Any]) -> None:
    patch = f"kubectl -n training patch workload held --type merge -p '{json.dumps(change)}'"
    assert "allowed is spec.active alone" in people.submitter.refusal(patch)


def test_a_workload_is_stopped_and_resumed(people: People) -> None:
    for active in (True, False):
        patch = (
            f'kubectl -n training patch workload held --type merge -p \'{{"spec":{{"active":{json.dumps(active)}}}}}\''
        )
        assert people.submitter.refusal(patch) == ""
        found = people.admin.get({**_core("Workload", "held"), "apiVersion": "kueue.x-k8s.io/v1beta2"})
        assert found is not None
        assert found["spec"]["active"] is active


def test_what_a_controller_made_waits_for_its_queue_whoever_asks(people: People) -> None:
    """A Job of a JobSet, held back because the JobSet waits: a submitter neither starts nor disowns it."""
    owner = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "set", "uid": "1", "controller": True}
    pod = {"restartPolicy": "Never", "containers": [{"name": "it", "image": "it:1"}]}
    job: dict[str, Any] = {
        **_core("Job", "inner", spec={"suspend": True, "template": {"spec": pod}}),
        "apiVersion": "batch/v1",
    }
    people.admin.create({**job, "metadata": {**job["metadata"], "ownerReferences": [owner]}})
    start = {"spec": {"suspend": False}}
    disown = {"metadata": {"ownerReferences": None}}
    for change in (start, disown, {**start, **disown}):
        patch = f"kubectl -n training patch job inner --type merge -p '{json.dumps(change)}'"
        assert "change what owns it" in people.submitter.refusal(patch)
    assert people.submitter.refusal("kubectl -n training delete job inner --wait=false") == ""
    owned = {**job, "metadata": {**job["metadata"], "ownerReferences": [owner]}}
    assert "change what owns it" in people.submitter.refusal("kubectl create -f -", owned)


def test_other_people_and_the_rest_of_the_cluster_are_out_of_reach(people: People) -> None:
    may = people.submitter.types
    attempts = (
        "get pods -n team-speech",
        "create trainjobs -n team-speech",
        "get pods -n kube-system",
        "create pods --subresource=exec -n training",
        "patch pods --subresource=ephemeralcontainers -n training",
        "patch pods -n training",
        "create rolebindings -n training",
        "impersonate users",
        "create serviceaccounts --subresource=token -n training",
        "patch localqueues -n training",
        "patch workloads --subresource=status -n training",
        "patch clusterqueues",
        "list nodes",
        "patch clustertrainingruntimes",
    )
    assert [attempt for attempt in attempts if may(f"kubectl auth can-i {attempt}").returncode == 0] == []


IN_LOGIN = f"kubectl -n slurm exec {LOGIN_POD} --"


@pytest.mark.parametrize(
    "command",
    [
        SLURM_SHELL,
        f"{IN_LOGIN} runuser --login submitter",
        f"{IN_LOGIN} runuser --login submitter --command 'sbatch /shared/pytorch.sbatch'",
    ],
)
def test_a_submitter_gets_a_shell_on_the_login_node_of_slurm(people: People, command: str) -> None:
    """No kubelet answers: the request comes as far as the pod's node."""
    assert "does not have a host assigned" in people.submitter.refusal(command)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"{IN_LOGIN} bash", "submitters act as its user"),
        (f"{IN_LOGIN} runuser --login root", "submitters act as its user"),
        (f"{IN_LOGIN} runuser --login submitter --user root", "submitters act as its user"),
        (f"{IN_LOGIN} runuser --login submitter --user root --command id", "submitters act as its user"),
        (f"{IN_LOGIN} runuser --login submitter --command id --login root", "submitters act as its user"),
        *(
            (f"kubectl -n slurm exec {pod} -- runuser --login submitter", "only the login node")
            for pod in SLURM_PODS[1:]
        ),
        (f"kubectl -n slurm cp {LOGIN_POD}:/etc/slurm/slurm.key key", "submitters act as its user"),
        (f"kubectl -n slurm attach {LOGIN_POD}", "forbidden"),
        (f"kubectl -n slurm logs {LOGIN_POD}", "forbidden"),
        (f"kubectl -n slurm debug {LOGIN_POD} --image it:1", "forbidden"),
        ("kubectl -n slurm get secrets", "forbidden"),
        ("kubectl -n slurm scale deployment login --replicas 2", "forbidden"),
        ("kubectl -n slurm get deployments", "forbidden"),
    ],
)
def test_root_and_other_pods_of_slurm_are_out_of_reach(people: People, command: str, said: str) -> None:
    assert said in people.submitter.refusal(command)


def test_an_admin_is_root_of_the_login_node(people: People) -> None:
    admin = f"{IN_LOGIN} bash".replace("kubectl", "kubectl --as root --as-group system:masters")
    assert "does not have a host assigned" in people.submitter.refusal(admin)


def test_a_submitter_sees_the_dollars_of_a_job_by_the_flavor_of_its_queue(people: People) -> None:
    """Nodes are hidden from them: the stack's flavors name the machines."""
    workload = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload"}
    metadata = {"name": "priced", "namespace": "training"}
    pod = {"containers": [{"name": "it", "image": "it:1"}]}
    sets = [{"name": "main", "count": 1, "template": {"spec": pod}}]
    people.admin.create({**workload, "metadata": metadata, "spec": {"queueName": "training", "podSets": sets}})
    now = datetime.now(UTC).isoformat(timespec="seconds")
    conditions = [
        {"type": kind, "status": "True", "reason": "It", "message": "", "lastTransitionTime": now}
        for kind in ("QuotaReserved", "Admitted")
    ]
    gpus = {"flavors": {"nvidia.com/gpu": "training"}, "resourceUsage": {"nvidia.com/gpu": "8"}}
    admission = {"clusterQueue": "training", "podSetAssignments": [{"name": "main", "count": 1, **gpus}]}
    status = {"status": {"conditions": conditions, "admission": admission}}
    people.admin.patch({**workload, "metadata": metadata}, status, part="status")

    program = Path(sys.executable).with_name("gpucluster")
    done = people.submitter.types(f"{program} jobs -n training --cost --format json")

    assert done.returncode == 0, done.stderr
    [cost] = [job["cost"] for job in json.loads(done.stdout)["jobs"] if job["name"] == "priced"]
    price = machine_price("aws", "us-east-1", "p5.48xlarge")
    assert isinstance(price, Price)
    assert (cost["unknown"], Decimal(cost["usd_per_gpu_hour"])) == (None, price.usd / 8)


def test_the_server_grants_the_rights_of_the_roles(people: People) -> None:
    """Asked as the API server answers `kubectl auth can-i`, verb by verb."""
    granted = [
        *_asked(IN_NAMESPACE, "training"),
        *_asked(IN_NAMESPACE, "team-vision"),
        *_asked(IN_SLURM, "slurm"),
        *_asked(IN_CLUSTER, ""),
    ]
    others = [right for right in IN_NAMESPACE if right.resources != ("pods",)]
    refused = [*_asked([EXEC], "training"), *_asked(IN_NAMESPACE, "team-speech"), *_asked(others, "slurm")]
    assert [it for it in granted if not _allowed(people.admin, it)] == []
    assert [it for it in refused if _allowed(people.admin, it)] == []


def _asked(rights: Sequence[Right], namespace: str) -> Iterator[Mapping[str, str]]:
    for right in rights:
        for resource, verb in ((resource, verb) for resource in right.resources for verb in right.verbs):
            name, _, part = resource.partition("/")
            asked = {"group": right.group, "resource": name, "subresource": part, "verb": verb, "namespace": namespace}
            yield {**asked, "name": right.name}


def _allowed(admin: Client, attributes: Mapping[str, str]) -> bool:
    spec = {"user": "ada", "groups": GROUPS, "resourceAttributes": attributes}
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {}, "spec": spec}
    return bool(admin.create(review)["status"]["allowed"])
