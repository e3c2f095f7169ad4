// Modules with charts that no program here needs: for rendering alone.
module gpucluster.invalid/charts

go 1.26.0

require (
	github.com/NVIDIA/k8s-device-plugin v0.18.2
	github.com/aws/amazon-vpc-cni-k8s v1.22.4
	github.com/aws/karpenter-provider-aws v1.14.1
)
