package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/awslabs/operatorpkg/status"
	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

const (
	machinePrefix = "sandbox:///"
	// As annotation and as label: kwok is told to look for either.
	kwokKey = "kwok.x-k8s.io/node"
)

// machineProvider makes a machine by making its Node: a machine is there for as long as its Node is not being deleted.
type machineProvider struct {
	client   client.Client
	cloud    *Cloud
	shortage *shortage
}

var _ cloudprovider.CloudProvider = (*machineProvider)(nil)

// Create makes the Node of the first machine that fits, spot before on demand.
func (p *machineProvider) Create(ctx context.Context, claim *karpv1.NodeClaim) (*karpv1.NodeClaim, error) {
	class := &nodeClass{}
	if err := p.client.Get(ctx, types.NamespacedName{Name: claim.Spec.NodeClassRef.Name}, class); err != nil {
		if errors.IsNotFound(err) {
			return nil, cloudprovider.NewInsufficientCapacityError(fmt.Errorf("finding the node class, %w", err))
		}
		return nil, fmt.Errorf("finding the node class, %w", err)
	}
	wanted := scheduling.NewNodeSelectorRequirementsWithMinValues(claim.Spec.Requirements...)
	machine, offering := p.choose(wanted)
	if offering == nil {
		return nil, cloudprovider.NewInsufficientCapacityError(fmt.Errorf("no machine that the pool may buy is to be had"))
	}
	node := newNode(claim, machine, offering, p.cloud.PurchaseLabels[offering.CapacityType()])
	if err := p.client.Create(ctx, node); client.IgnoreAlreadyExists(err) != nil {
		return nil, fmt.Errorf("making the node, %w", err)
	}
	return asClaim(node), nil
}

func (p *machineProvider) choose(wanted scheduling.Requirements) (*cloudprovider.InstanceType, *cloudprovider.Offering) {
	types := p.cloud.instanceTypes(wanted, p.shortage)
	for _, purchase := range purchases {
		for _, machine := range types {
			if !wanted.Get(corev1.LabelInstanceTypeStable).Has(machine.Name) {
				continue
			}
			for _, offering := range machine.Offerings.Available().Compatible(wanted) {
				if offering.CapacityType() == purchase {
					return machine, offering
				}
			}
		}
	}
	return nil, nil
}

// newNode is a Node as its kubelet would register it. Taints and labels of the pool are Karpenter's to add.
func newNode(
	claim *karpv1.NodeClaim,
	machine *cloudprovider.InstanceType,
	offering *cloudprovider.Offering,
	bought map[string]string,
) *corev1.Node {
	labels := lo.Assign(claim.Labels, bought)
	requirements := scheduling.NewNodeSelectorRequirementsWithMinValues(claim.Spec.Requirements...)
	for _, known := range []scheduling.Requirements{requirements, machine.Requirements, offering.Requirements} {
		for key, requirement := range known {
			if requirement.Operator() == corev1.NodeSelectorOpIn && requirement.Len() == 1 {
				labels[key] = requirement.Any()
			}
		}
	}
	labels[corev1.LabelInstanceTypeStable] = machine.Name
	labels[corev1.LabelHostname] = claim.Name
	labels[kwokKey] = "fake"
	annotations := lo.Assign(claim.Annotations, map[string]string{kwokKey: "fake"})
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: claim.Name, Labels: labels, Annotations: annotations},
		Spec: corev1.NodeSpec{
			ProviderID: machinePrefix + claim.Name,
			Taints:     []corev1.Taint{karpv1.UnregisteredNoExecuteTaint},
		},
		Status: corev1.NodeStatus{
			Capacity:    machine.Capacity,
			Allocatable: machine.Allocatable(),
			Phase:       corev1.NodePending,
		},
	}
}

func asClaim(node *corev1.Node) *karpv1.NodeClaim {
	return &karpv1.NodeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name: node.Name, Labels: node.Labels, Annotations: node.Annotations, CreationTimestamp: node.CreationTimestamp,
		},
		Status: karpv1.NodeClaimStatus{
			NodeName:    node.Name,
			ProviderID:  node.Spec.ProviderID,
			Capacity:    node.Status.Capacity,
			Allocatable: node.Status.Allocatable,
		},
	}
}

// Delete ends the machine at once: Karpenter has drained it.
func (p *machineProvider) Delete(_ context.Context, claim *karpv1.NodeClaim) error {
	return cloudprovider.NewNodeClaimNotFoundError(fmt.Errorf("machine %s has ended", claim.Status.ProviderID))
}

// Get finds a machine by its provider id.
func (p *machineProvider) Get(ctx context.Context, id string) (*karpv1.NodeClaim, error) {
	node := &corev1.Node{}
	err := p.client.Get(ctx, types.NamespacedName{Name: strings.TrimPrefix(id, machinePrefix)}, node)
	if errors.IsNotFound(err) || err == nil && !node.DeletionTimestamp.IsZero() {
		return nil, cloudprovider.NewNodeClaimNotFoundError(fmt.Errorf("there is no machine %s", id))
	}
	if err != nil {
		return nil, fmt.Errorf("finding the node, %w", err)
	}
	return asClaim(node), nil
}

// List finds all machines.
func (p *machineProvider) List(ctx context.Context) ([]*karpv1.NodeClaim, error) {
	nodes := &corev1.NodeList{}
	if err := p.client.List(ctx, nodes); err != nil {
		return nil, fmt.Errorf("listing nodes, %w", err)
	}
	return lo.FilterMap(nodes.Items, func(node corev1.Node, _ int) (*karpv1.NodeClaim, bool) {
		return asClaim(&node), strings.HasPrefix(node.Spec.ProviderID, machinePrefix)
	}), nil
}

// GetInstanceTypes are all machines of the file, where the pool wants them.
func (p *machineProvider) GetInstanceTypes(_ context.Context, pool *karpv1.NodePool) ([]*cloudprovider.InstanceType, error) {
	wanted := scheduling.NewRequirements()
	if pool != nil {
		wanted = scheduling.NewNodeSelectorRequirementsWithMinValues(pool.Spec.Template.Spec.Requirements...)
	}
	return p.cloud.instanceTypes(wanted, p.shortage), nil
}

// IsDrifted says no: nobody publishes images here.
func (p *machineProvider) IsDrifted(context.Context, *karpv1.NodeClaim) (cloudprovider.DriftReason, error) {
	return "", nil
}

// Reboot is not there.
func (p *machineProvider) Reboot(context.Context, *karpv1.NodeClaim, string) error {
	return cloudprovider.NewNodeRebootNotImplementedError()
}

// RepairPolicies are none: the gate NodeRepair is off in the charts.
func (p *machineProvider) RepairPolicies() []cloudprovider.RepairPolicy { return nil }

// Name of the provider.
func (p *machineProvider) Name() string { return "sandbox" }

// GetSupportedNodeClasses is the class of the cluster's real provider.
func (p *machineProvider) GetSupportedNodeClasses() []status.Object {
	return []status.Object{&nodeClass{}}
}
