package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	controllerruntime "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// interruptionAnnotation stands for a message in the interruption queue about the machine of a NodeClaim.
const interruptionAnnotation = "gpucluster/interruption"

const spotInterruption = "spot"

// interruptionController does what the AWS provider does of such a message: it deletes the NodeClaim, so that Karpenter
// drains and replaces the machine, and asks for no spot machine of that type for a while.
// Source: aws/karpenter-provider-aws v1.14.1, pkg/controllers/interruption/utils.go.
type interruptionController struct {
	client   client.Client
	shortage *shortage
	pause    time.Duration
}

func (c *interruptionController) Reconcile(ctx context.Context, claim *karpv1.NodeClaim) (reconcile.Result, error) {
	kind, told := claim.Annotations[interruptionAnnotation]
	if !told || !claim.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, nil
	}
	if kind == spotInterruption && c.pause > 0 {
		c.shortage.mark(claim.Labels[corev1.LabelInstanceTypeStable], karpv1.CapacityTypeSpot, c.pause)
	}
	log.FromContext(ctx).Info("initiating delete from interruption message", "kind", kind)
	return reconcile.Result{}, client.IgnoreNotFound(c.client.Delete(ctx, claim))
}

func (c *interruptionController) Register(_ context.Context, m manager.Manager) error {
	return controllerruntime.NewControllerManagedBy(m).
		Named("sandbox.interruption").
		For(&karpv1.NodeClaim{}).
		Complete(reconcile.AsReconciler(m.GetClient(), c))
}
