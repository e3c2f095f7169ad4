package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/go-logr/zapr"
	"github.com/samber/lo"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeoverlay"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/logging"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/prediction"
)

// newOperator is operator.NewOperator of Karpenter without leader election and metrics, listening on loopback alone,
// which that one can't.
func newOperator() (context.Context, *operator.Operator) {
	ctx := injection.WithOptionsOrDie(context.Background(), options.Injectables...)
	given := options.FromContext(ctx)
	logger := zapr.NewLogger(logging.NewLogger(ctx, "controller"))
	log.SetLogger(logger)
	config := ctrl.GetConfigOrDie()
	config.QPS, config.Burst = float32(given.KubeClientQPS), given.KubeClientBurst
	mgr := lo.Must(ctrl.NewManager(config, ctrl.Options{
		Logger:                 logging.IgnoreDebugEvents(logger),
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: fmt.Sprintf("127.0.0.1:%d", given.HealthProbePort),
		BaseContext: func() context.Context {
			return injection.WithOptionsOrDie(log.IntoContext(context.Background(), logger), options.Injectables...)
		},
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
			&coordinationv1.Lease{}: {
				Field: fields.SelectorFromSet(fields.Set{"metadata.namespace": corev1.NamespaceNodeLease}),
			},
		}},
	}))
	index(ctx, mgr.GetFieldIndexer())
	lo.Must0(mgr.AddHealthzCheck("healthz", healthz.Ping))
	lo.Must0(mgr.AddReadyzCheck("caches", func(request *http.Request) error {
		if !mgr.GetCache().WaitForCacheSync(request.Context()) {
			return fmt.Errorf("the caches are not filled yet")
		}
		return nil
	}))
	return ctx, &operator.Operator{
		Manager:             mgr,
		KubernetesInterface: kubernetes.NewForConfigOrDie(config),
		EventRecorder:       events.NewRecorder(mgr.GetEventRecorderFor(operator.AppName)),
		Clock:               clock.RealClock{},
		InstanceTypeStore:   nodeoverlay.NewInstanceTypeStore(),
		PredictionStore:     prediction.NewStore(),
	}
}

// index makes the fields known by which Karpenter's controllers look for objects.
func index(ctx context.Context, indexer client.FieldIndexer) {
	add := func(object client.Object, field string, value func(client.Object) string) {
		lo.Must0(indexer.IndexField(ctx, object, field, func(o client.Object) []string { return []string{value(o)} }))
	}
	add(&corev1.Pod{}, "spec.nodeName", func(o client.Object) string { return o.(*corev1.Pod).Spec.NodeName })
	add(&corev1.Node{}, "spec.providerID", func(o client.Object) string { return o.(*corev1.Node).Spec.ProviderID })
	add(&storagev1.VolumeAttachment{}, "spec.nodeName", func(o client.Object) string {
		return o.(*storagev1.VolumeAttachment).Spec.NodeName
	})
	add(&karpv1.NodeClaim{}, "status.providerID", func(o client.Object) string {
		return o.(*karpv1.NodeClaim).Status.ProviderID
	})
	for suffix, part := range map[string]func(*karpv1.NodeClassReference) string{
		"group": func(ref *karpv1.NodeClassReference) string { return ref.Group },
		"kind":  func(ref *karpv1.NodeClassReference) string { return ref.Kind },
		"name":  func(ref *karpv1.NodeClassReference) string { return ref.Name },
	} {
		add(&karpv1.NodeClaim{}, "spec.nodeClassRef."+suffix, func(o client.Object) string {
			return part(o.(*karpv1.NodeClaim).Spec.NodeClassRef)
		})
		add(&karpv1.NodePool{}, "spec.template.spec.nodeClassRef."+suffix, func(o client.Object) string {
			return part(o.(*karpv1.NodePool).Spec.Template.Spec.NodeClassRef)
		})
	}
}
