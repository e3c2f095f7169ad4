// Karpenter's own controllers on machines that nobody rents: a cloud provider for the cluster of a sandbox.
//
// It serves the node class of the cluster's real provider (EC2NodeClass, AKSNodeClass), which Karpenter's kwok provider
// does not know, on machines of a file; a node is made as an object, and kwok keeps it alive.
package main

import (
	"os"

	"github.com/samber/lo"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/node/health"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
)

const fileVariable = "MACHINES_FILE"

func main() {
	cloud := lo.Must(readCloud(os.Getenv(fileVariable)))
	serve(cloud.NodeClass)
	knowLabels(cloud)
	ctx, op := newOperator()
	shortage := newShortage(op.Clock)
	provider := &machineProvider{client: op.GetClient(), cloud: cloud, shortage: shortage}
	decorated := overlay.Decorate(provider, op.GetClient(), op.InstanceTypeStore)
	matcher := lo.Must(health.NewRepairPolicyMatcher(ctx, decorated))
	cluster := state.NewCluster(op.Clock, op.GetClient(), decorated, state.WithRepairPolicyMatcher(matcher))
	op.
		WithControllers(ctx, &classController{client: op.GetClient()}).
		WithControllers(ctx, &driverController{client: op.GetClient(), keys: cloud.TaintsTaken}).
		WithControllers(ctx, &interruptionController{client: op.GetClient(), shortage: shortage, pause: cloud.SpotPause()}).
		WithControllers(ctx, controllers.NewControllers(
			ctx,
			op.Manager,
			op.Clock,
			op.GetClient(),
			op.EventRecorder,
			decorated,
			provider,
			cluster,
			op.InstanceTypeStore,
			op.PredictionStore,
		)...).Start(ctx)
}
