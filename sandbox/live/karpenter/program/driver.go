package main

import (
	"context"

	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	controllerruntime "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// driverController takes startup taints off new machines, as the drivers that the stack has installed would.
type driverController struct {
	client client.Client
	keys   []string
}

func (c *driverController) Reconcile(ctx context.Context, node *corev1.Node) (reconcile.Result, error) {
	kept := lo.Reject(node.Spec.Taints, func(taint corev1.Taint, _ int) bool { return lo.Contains(c.keys, taint.Key) })
	if node.Labels[karpv1.NodeRegisteredLabelKey] != "true" || len(kept) == len(node.Spec.Taints) {
		return reconcile.Result{}, nil
	}
	stored := node.DeepCopy()
	node.Spec.Taints = kept
	patch := client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{})
	return reconcile.Result{}, client.IgnoreNotFound(c.client.Patch(ctx, node, patch))
}

func (c *driverController) Register(_ context.Context, m manager.Manager) error {
	return controllerruntime.NewControllerManagedBy(m).
		Named("sandbox.drivers").
		For(&corev1.Node{}).
		Complete(reconcile.AsReconciler(m.GetClient(), c))
}
