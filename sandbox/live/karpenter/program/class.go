package main

import (
	"context"

	"github.com/awslabs/operatorpkg/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	controllerruntime "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// nodeClass is a node class of whatever provider: what it asks of the cloud is nobody's business here.
type nodeClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Status            struct {
		Conditions []status.Condition `json:"conditions,omitempty"`
	} `json:"status,omitempty"`
}

type nodeClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []nodeClass `json:"items"`
}

// serve makes this kind the one that is read as a node class.
func serve(kind metav1.GroupVersionKind) {
	version := schema.GroupVersion{Group: kind.Group, Version: kind.Version}
	metav1.AddToGroupVersion(scheme.Scheme, version)
	scheme.Scheme.AddKnownTypeWithName(version.WithKind(kind.Kind), &nodeClass{})
	scheme.Scheme.AddKnownTypeWithName(version.WithKind(kind.Kind+"List"), &nodeClassList{})
}

func (c *nodeClass) StatusConditions(opts ...status.ForOption) status.ConditionSet {
	return status.NewReadyConditions().For(c, opts...)
}

func (c *nodeClass) GetConditions() []status.Condition { return c.Status.Conditions }

func (c *nodeClass) SetConditions(conditions []status.Condition) { c.Status.Conditions = conditions }

// DeepCopyObject for the client's cache.
func (c *nodeClass) DeepCopyObject() runtime.Object { return c.deepCopy() }

func (c *nodeClass) deepCopy() *nodeClass {
	copied := &nodeClass{TypeMeta: c.TypeMeta}
	c.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	copied.Status.Conditions = append([]status.Condition(nil), c.Status.Conditions...)
	return copied
}

// DeepCopyObject for the client's cache.
func (l *nodeClassList) DeepCopyObject() runtime.Object {
	copied := &nodeClassList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&copied.ListMeta)
	for index := range l.Items {
		copied.Items = append(copied.Items, *l.Items[index].deepCopy())
	}
	return copied
}

// classController calls every class ready, as its provider does once it has found subnet, image and identity.
type classController struct {
	client client.Client
}

func (c *classController) Reconcile(ctx context.Context, class *nodeClass) (reconcile.Result, error) {
	if class.StatusConditions().Get(status.ConditionReady).IsTrue() {
		return reconcile.Result{}, nil
	}
	stored := class.deepCopy()
	class.StatusConditions().SetTrueWithReason(
		status.ConditionReady, "Sandbox", "what the class names in the cloud is not looked up here",
	)
	return reconcile.Result{}, client.IgnoreNotFound(c.client.Status().Patch(ctx, class, client.MergeFrom(stored)))
}

func (c *classController) Register(_ context.Context, m manager.Manager) error {
	return controllerruntime.NewControllerManagedBy(m).
		Named("sandbox.nodeclass").
		For(&nodeClass{}).
		Complete(reconcile.AsReconciler(m.GetClient(), c))
}
