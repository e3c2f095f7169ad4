// Expands a TrainJob into Jobs as a cluster would, by the code of Kubeflow Trainer and JobSet themselves.
//
// Reads {"runtimes": [ClusterTrainingRuntime, ...], "job": TrainJob} and writes {"jobs": [Job, ...], "refused": "..."}.
// What Trainer's or JobSet's webhooks refuse is told in "refused".
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	jobsetcontrollers "sigs.k8s.io/jobset/pkg/controllers"
	jobsetwebhooks "sigs.k8s.io/jobset/pkg/webhooks"
	schedulerplugins "sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	trainerruntime "github.com/kubeflow/trainer/v2/pkg/runtime"
	trainercore "github.com/kubeflow/trainer/v2/pkg/runtime/core"
	trainerwebhooks "github.com/kubeflow/trainer/v2/pkg/webhooks"
)

type question struct {
	Runtimes []trainer.ClusterTrainingRuntime `json:"runtimes"`
	Job      trainer.TrainJob                 `json:"job"`
}

type answer struct {
	Jobs    []batchv1.Job `json:"jobs"`
	Refused string        `json:"refused,omitempty"`
}

// indexes takes the indexes of a manager's cache into the cluster that stands in for one.
type indexes struct{ builder *fake.ClientBuilder }

func (i indexes) IndexField(_ context.Context, object client.Object, field string, value client.IndexerFunc) error {
	i.builder.WithIndex(object, field, value)
	return nil
}

func main() {
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	var asked question
	decoder := json.NewDecoder(os.Stdin)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil {
		fail(err)
	}
	found, err := expand(context.Background(), asked)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func expand(ctx context.Context, asked question) (answer, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, trainer.AddToScheme, jobset.AddToScheme, schedulerplugins.AddToScheme, volcano.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return answer{}, err
		}
	}
	builder := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&jobset.JobSet{}, &trainer.TrainJob{}, &batchv1.Job{})
	if err := jobsetcontrollers.SetupJobSetIndexes(ctx, indexes{builder}); err != nil {
		return answer{}, err
	}
	for i := range asked.Runtimes {
		if _, err := (&trainerwebhooks.ClusterTrainingRuntimeValidator{}).ValidateCreate(ctx, &asked.Runtimes[i]); err != nil {
			return answer{Refused: err.Error()}, nil
		}
		builder = builder.WithObjects(&asked.Runtimes[i])
	}
	cluster := builder.Build()

	runtimes, err := trainercore.New(ctx, cluster, indexes{builder}, nil)
	if err != nil {
		return answer{}, err
	}
	job := asked.Job
	withDefaults(&job)
	if err := cluster.Create(ctx, &job); err != nil {
		return answer{}, err
	}
	named, known := runtimes[trainerruntime.RuntimeRefToRuntimeRegistryKey(job.Spec.RuntimeRef)]
	if !known {
		return answer{}, fmt.Errorf("no runtime of the kind that %s names", job.Name)
	}
	if _, refused := named.ValidateObjects(ctx, nil, &job); len(refused) > 0 {
		return answer{Refused: refused.ToAggregate().Error()}, nil
	}
	made, err := named.NewObjects(ctx, &job)
	if err != nil {
		return answer{}, err
	}
	set, err := theJobSet(made)
	if err != nil {
		return answer{}, err
	}
	hooks, err := newWebhooks(cluster, jobsetwebhooks.Setup)
	if err != nil {
		return answer{}, err
	}
	for _, path := range []string{"/mutate-jobset-x-k8s-io-v1alpha2-jobset", "/validate-jobset-x-k8s-io-v1alpha2-jobset"} {
		refused, err := hooks.created(ctx, path, set)
		if err != nil {
			return answer{}, err
		}
		if refused != nil {
			return answer{Refused: refused.Error()}, nil
		}
	}
	if err := cluster.Create(ctx, set); err != nil {
		return answer{}, err
	}
	controller := jobsetcontrollers.NewJobSetReconciler(cluster, scheme, events.NewFakeRecorder(100))
	var jobs batchv1.JobList
	for seen := -1; seen < len(jobs.Items); {
		seen = len(jobs.Items)
		if _, err := controller.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(set)}); err != nil {
			return answer{}, err
		}
		if err := cluster.List(ctx, &jobs, client.InNamespace(job.Namespace)); err != nil {
			return answer{}, err
		}
		if err := allReady(ctx, cluster, jobs.Items); err != nil {
			return answer{}, err
		}
	}
	slices.SortFunc(jobs.Items, func(a, b batchv1.Job) int { return strings.Compare(a.Name, b.Name) })
	return answer{Jobs: jobs.Items}, nil
}

// withDefaults fills in what the API server does, by the defaults of the definition of TrainJob.
func withDefaults(job *trainer.TrainJob) {
	group, kind := trainer.GroupVersion.Group, trainer.ClusterTrainingRuntimeKind
	if job.Spec.RuntimeRef.APIGroup == nil {
		job.Spec.RuntimeRef.APIGroup = &group
	}
	if job.Spec.RuntimeRef.Kind == nil {
		job.Spec.RuntimeRef.Kind = &kind
	}
}

// theJobSet finds the JobSet among what Trainer would apply, and reads it as the API server would.
func theJobSet(made []runtime.ApplyConfiguration) (*jobset.JobSet, error) {
	for _, object := range made {
		text, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		set := &jobset.JobSet{}
		if err := json.Unmarshal(text, set); err != nil || set.Kind != "JobSet" {
			continue
		}
		for i := range set.Spec.ReplicatedJobs {
			// The default of the definition.
			set.Spec.ReplicatedJobs[i].GroupName = cmp.Or(set.Spec.ReplicatedJobs[i].GroupName, "default")
		}
		return set, nil
	}
	return nil, fmt.Errorf("Trainer made no JobSet")
}

// allReady says of all Jobs that their pods run, which those after them wait for.
func allReady(ctx context.Context, cluster client.Client, jobs []batchv1.Job) error {
	for i := range jobs {
		job := jobs[i].DeepCopy()
		job.Status.Active, job.Status.Ready = *job.Spec.Parallelism, job.Spec.Parallelism
		if err := cluster.Status().Update(ctx, job); err != nil {
			return err
		}
	}
	return nil
}
