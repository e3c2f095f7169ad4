package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/resources"
)

// Cloud is what the file says of the cluster's cloud.
type Cloud struct {
	NodeClass metav1.GroupVersionKind `json:"nodeClass"`
	// ZoneLabels are those by which a pool names its zone, the usual one first.
	ZoneLabels []string `json:"zoneLabels"`
	// SpotPauseSeconds is how long the provider asks for no spot machine of a type after one was taken away.
	SpotPauseSeconds int `json:"spotPauseSeconds"`
	// PurchaseLabels are those that the provider adds to machines bought in a way.
	PurchaseLabels map[string]map[string]string `json:"purchaseLabels"`
	// TaintsTaken are startup taints that drivers of the stack take off.
	TaintsTaken []string  `json:"taintsTaken"`
	Machines    []Machine `json:"machines"`
}

// Machine is one type, in the order in which the cloud's provider is to prefer them.
type Machine struct {
	Name        string              `json:"name"`
	Labels      map[string]string   `json:"labels"`
	Capacity    corev1.ResourceList `json:"capacity"`
	Allocatable corev1.ResourceList `json:"allocatable"`
}

// In the order in which a provider asks for them. AWS asks for spot first, whatever it costs (getCapacityType in
// aws/karpenter-provider-aws v1.14.1, pkg/providers/instance/instance.go); Azure for what is cheapest, which spot is, and
// for spot where both cost the same (Azure/karpenter-provider-azure v1.14.2,
// pkg/providers/allocationstrategy/stages/offering_rank.go).
var purchases = []string{karpv1.CapacityTypeSpot, karpv1.CapacityTypeOnDemand}

func readCloud(file string) (*Cloud, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading %s, %w", fileVariable, err)
	}
	cloud := &Cloud{}
	if err := json.Unmarshal(text, cloud); err != nil {
		return nil, fmt.Errorf("reading %s, %w", file, err)
	}
	return cloud, nil
}

// SpotPause as a duration.
func (c *Cloud) SpotPause() time.Duration { return time.Duration(c.SpotPauseSeconds) * time.Second }

// knowLabels makes Karpenter take labels of machines for such by which a pool or a pod may choose.
func knowLabels(cloud *Cloud) {
	karpv1.WellKnownLabels.Insert(cloud.ZoneLabels...)
	for _, machine := range cloud.Machines {
		karpv1.WellKnownLabels.Insert(lo.Keys(machine.Labels)...)
	}
}

// instanceTypes are the machines as a pool may buy them: wherever the pool wants them, for nobody here knows what a
// zone has.
func (c *Cloud) instanceTypes(wanted scheduling.Requirements, short *shortage) []*cloudprovider.InstanceType {
	return lo.Map(c.Machines, func(machine Machine, order int) *cloudprovider.InstanceType {
		offerings := c.offerings(machine, order, wanted, short)
		requirements := scheduling.NewLabelRequirements(machine.Labels)
		requirements.Add(scheduling.NewRequirement(corev1.LabelInstanceTypeStable, corev1.NodeSelectorOpIn, machine.Name))
		requirements.Add(scheduling.NewRequirement(karpv1.CapacityTypeLabelKey, corev1.NodeSelectorOpIn, purchases...))
		for _, key := range c.ZoneLabels {
			if wanted.Has(key) {
				requirements.Add(scheduling.NewRequirement(key, corev1.NodeSelectorOpIn, wanted.Get(key).Values()...))
			}
		}
		return &cloudprovider.InstanceType{
			Name:         machine.Name,
			Requirements: requirements,
			Offerings:    offerings,
			Capacity:     machine.Capacity,
			Overhead: &cloudprovider.InstanceTypeOverhead{
				KubeReserved: resources.Subtract(machine.Capacity, machine.Allocatable),
			},
		}
	})
}

// offerings of a machine. Its price is no price: it only puts the machines into the order of the file, spot first.
func (c *Cloud) offerings(
	machine Machine, order int, wanted scheduling.Requirements, short *shortage,
) cloudprovider.Offerings {
	found := cloudprovider.Offerings{}
	for _, key := range c.ZoneLabels {
		if !wanted.Has(key) {
			continue
		}
		for _, zone := range wanted.Get(key).Values() {
			for rank, purchase := range purchases {
				found = append(found, &cloudprovider.Offering{
					Requirements: scheduling.NewRequirements(
						scheduling.NewRequirement(key, corev1.NodeSelectorOpIn, zone),
						scheduling.NewRequirement(karpv1.CapacityTypeLabelKey, corev1.NodeSelectorOpIn, purchase),
					),
					Price:     float64(1 + rank*len(c.Machines) + order),
					Available: !short.of(machine.Name, purchase),
				})
			}
		}
		break
	}
	return found
}
