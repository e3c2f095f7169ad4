"""Resource types that cost nothing by themselves, each with where that is said."""

from __future__ import annotations

from typing import Final

__all__ = ["free_reason", "free_types"]

_VPC = "https://aws.amazon.com/vpc/pricing/"
_EC2 = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/"
_IAM = "https://aws.amazon.com/iam/faqs/"
_EKS = "https://aws.amazon.com/eks/pricing/"
_GOOGLE_NETWORK = "https://cloud.google.com/vpc/network-pricing"
_GOOGLE_IAM = "https://cloud.google.com/iam/pricing"
_GOOGLE_STORAGE = "https://cloud.google.com/storage/pricing"
_GOOGLE_KMS = "https://cloud.google.com/kms/pricing"
_GOOGLE_SERVICES = "https://cloud.google.com/service-usage/docs/overview"
_AZURE = "https://learn.microsoft.com/azure/"
_AZURE_NETWORK = "https://azure.microsoft.com/pricing/details/virtual-network/"
_AZURE_MONITOR = "https://azure.microsoft.com/pricing/details/monitor/"
_AZURE_FILES = "https://azure.microsoft.com/pricing/details/storage/files/"
_KUBERNETES = "https://kubernetes.io/docs/concepts/overview/"

_NETWORK = ("no charge for the object; traffic is billed where it flows", _VPC)
_IDENTITY = ("IAM has no charge", _IAM)
_ACCESS = ("part of the control plane's price", _EKS)
_VPC_OBJECT = ("no charge for the object; traffic is billed where it flows", _GOOGLE_NETWORK)
_GOOGLE_IDENTITY = ("Identity and Access Management has no charge", _GOOGLE_IAM)
_BUCKET_SETTING = ("no charge for settings of a bucket", _GOOGLE_STORAGE)
_KEY_SETTING = ("no charge but for key versions and operations", _GOOGLE_KMS)
_VNET_OBJECT = ("no charge for the object; traffic is billed where it flows", _AZURE_NETWORK)
_AZURE_IDENTITY = ("no charge for identities and role assignments", f"{_AZURE}role-based-access-control/overview")
_COLLECTION = ("no charge for the object; what it takes in is billed with the cluster that sends it", _AZURE_MONITOR)
_ACCOUNT_SETTING = ("no charge for the object; what it holds is billed", _AZURE_FILES)
_OBJECT = ("runs on nodes that are priced, or is only an object in the cluster", _KUBERNETES)

_FREE: Final[dict[str, tuple[str, str]]] = {
    "aws:ec2/vpc:Vpc": _NETWORK,
    "aws:ec2/subnet:Subnet": _NETWORK,
    "aws:ec2/egressOnlyInternetGateway:EgressOnlyInternetGateway": _NETWORK,
    "aws:ec2/routeTable:RouteTable": _NETWORK,
    "aws:ec2/route:Route": _NETWORK,
    "aws:ec2/routeTableAssociation:RouteTableAssociation": _NETWORK,
    "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation": _NETWORK,
    "aws:ec2/vpcEndpointRouteTableAssociation:VpcEndpointRouteTableAssociation": _NETWORK,
    "aws:ec2/vpcEndpointPolicy:VpcEndpointPolicy": _NETWORK,
    "aws:ec2/networkAcl:NetworkAcl": _NETWORK,
    "aws:ec2/vpcDhcpOptions:VpcDhcpOptions": _NETWORK,
    "aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation": _NETWORK,
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": _NETWORK,
    "aws:ec2/defaultRouteTable:DefaultRouteTable": _NETWORK,
    "aws:ec2/securityGroup:SecurityGroup": _NETWORK,
    "aws:ec2/securityGroupRule:SecurityGroupRule": _NETWORK,
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": _NETWORK,
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": _NETWORK,
    "aws:ec2/flowLog:FlowLog": (
        "no charge for the flow log; what it writes is billed by its log group or bucket",
        _VPC,
    ),
    "aws:amp/ruleGroupNamespace:RuleGroupNamespace": (
        "no charge for rules; what they read and write is billed with their workspace",
        "https://aws.amazon.com/prometheus/pricing/",
    ),
    "aws:ec2/placementGroup:PlacementGroup": ("no charge for a placement group", f"{_EC2}placement-groups.html"),
    "aws:ec2/launchTemplate:LaunchTemplate": (
        "no charge for a template; what it launches is priced with the node group",
        f"{_EC2}ec2-launch-templates.html",
    ),
    "aws:ec2/keyPair:KeyPair": ("no charge for a key pair", f"{_EC2}ec2-key-pairs.html"),
    "aws:autoscaling/tag:Tag": (
        "no charge for tags",
        "https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-tagging.html",
    ),
    "aws:ec2/tag:Tag": ("no charge for tags", f"{_EC2}Using_Tags.html"),
    "aws:iam/role:Role": _IDENTITY,
    "aws:iam/policy:Policy": _IDENTITY,
    "aws:iam/rolePolicy:RolePolicy": _IDENTITY,
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": _IDENTITY,
    "aws:iam/instanceProfile:InstanceProfile": _IDENTITY,
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": _IDENTITY,
    "aws:iam/serviceLinkedRole:ServiceLinkedRole": _IDENTITY,
    "aws:eks/accessEntry:AccessEntry": _ACCESS,
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": _ACCESS,
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": _ACCESS,
    "aws:efs/mountTarget:MountTarget": (
        "no charge for a mount target; what the file system stores is billed",
        "https://aws.amazon.com/efs/pricing/",
    ),
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": (
        "no charge for the association; requests to the bucket are billed by S3",
        "https://aws.amazon.com/fsx/lustre/pricing/",
    ),
    "aws:kms/alias:Alias": ("no charge for aliases", "https://aws.amazon.com/kms/pricing/"),
    "aws:kms/keyPolicy:KeyPolicy": ("no charge for policies", "https://aws.amazon.com/kms/pricing/"),
    "aws:cloudwatch/eventRule:EventRule": (
        "events of AWS services have no charge",
        "https://aws.amazon.com/eventbridge/pricing/",
    ),
    "aws:cloudwatch/logResourcePolicy:LogResourcePolicy": (
        "no charge for policies",
        "https://aws.amazon.com/cloudwatch/pricing/",
    ),
    "aws:sqs/queuePolicy:QueuePolicy": ("no charge for policies", "https://aws.amazon.com/sqs/pricing/"),
    "aws:s3/bucketPolicy:BucketPolicy": ("no charge for settings of a bucket", "https://aws.amazon.com/s3/pricing/"),
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": (
        "no charge for settings of a bucket",
        "https://aws.amazon.com/s3/pricing/",
    ),
    "gcp:compute/network:Network": _VPC_OBJECT,
    "gcp:compute/subnetwork:Subnetwork": _VPC_OBJECT,
    "gcp:compute/firewall:Firewall": _VPC_OBJECT,
    "gcp:compute/route:Route": _VPC_OBJECT,
    "gcp:compute/router:Router": _VPC_OBJECT,
    "gcp:compute/networkPeering:NetworkPeering": _VPC_OBJECT,
    "gcp:compute/networkPeeringRoutesConfig:NetworkPeeringRoutesConfig": _VPC_OBJECT,
    "gcp:servicenetworking/connection:Connection": _VPC_OBJECT,
    "gcp:servicenetworking/peeredDnsDomain:PeeredDnsDomain": _VPC_OBJECT,
    "gcp:serviceaccount/account:Account": _GOOGLE_IDENTITY,
    "gcp:serviceaccount/iAMMember:IAMMember": _GOOGLE_IDENTITY,
    "gcp:serviceaccount/iAMBinding:IAMBinding": _GOOGLE_IDENTITY,
    "gcp:serviceaccount/iAMPolicy:IAMPolicy": _GOOGLE_IDENTITY,
    "gcp:projects/iAMMember:IAMMember": _GOOGLE_IDENTITY,
    "gcp:projects/iAMBinding:IAMBinding": _GOOGLE_IDENTITY,
    "gcp:projects/iAMCustomRole:IAMCustomRole": _GOOGLE_IDENTITY,
    "gcp:projects/iAMAuditConfig:IAMAuditConfig": _GOOGLE_IDENTITY,
    "gcp:compute/subnetworkIAMMember:SubnetworkIAMMember": _GOOGLE_IDENTITY,
    "gcp:compute/subnetworkIAMBinding:SubnetworkIAMBinding": _GOOGLE_IDENTITY,
    "gcp:storage/bucketIAMMember:BucketIAMMember": _BUCKET_SETTING,
    "gcp:storage/bucketIAMBinding:BucketIAMBinding": _BUCKET_SETTING,
    "gcp:storage/bucketIAMPolicy:BucketIAMPolicy": _BUCKET_SETTING,
    "gcp:kms/keyRing:KeyRing": _KEY_SETTING,
    "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember": _KEY_SETTING,
    "gcp:kms/cryptoKeyIAMBinding:CryptoKeyIAMBinding": _KEY_SETTING,
    "gcp:kms/keyRingIAMMember:KeyRingIAMMember": _KEY_SETTING,
    "gcp:projects/service:Service": ("no charge for enabling an API; what it makes is billed", _GOOGLE_SERVICES),
    "gcp:projects/serviceIdentity:ServiceIdentity": _GOOGLE_IDENTITY,
    "gcp:compute/resourcePolicy:ResourcePolicy": (
        "no charge for a placement policy",
        "https://cloud.google.com/compute/docs/instances/use-compact-placement-policies",
    ),
    "azure-native:resources:ResourceGroup": (
        "no charge for a resource group",
        f"{_AZURE}azure-resource-manager/management/overview",
    ),
    "azure-native:network:VirtualNetwork": _VNET_OBJECT,
    "azure-native:network:Subnet": _VNET_OBJECT,
    "azure-native:network:NetworkSecurityGroup": _VNET_OBJECT,
    "azure-native:network:SecurityRule": _VNET_OBJECT,
    "azure-native:network:RouteTable": _VNET_OBJECT,
    "azure-native:network:Route": _VNET_OBJECT,
    "azure-native:managedidentity:UserAssignedIdentity": _AZURE_IDENTITY,
    "azure-native:managedidentity:FederatedIdentityCredential": _AZURE_IDENTITY,
    "azure-native:authorization:RoleAssignment": _AZURE_IDENTITY,
    "azure-native:authorization:RoleDefinition": _AZURE_IDENTITY,
    "azure-native:features:SubscriptionFeatureRegistration": (
        "no charge for a feature flag",
        f"{_AZURE}azure-resource-manager/management/preview-features",
    ),
    "azure-native:containerservice:MaintenanceConfiguration": (
        "part of the control plane's price",
        f"{_AZURE}aks/planned-maintenance",
    ),
    "azure-native:compute:ProximityPlacementGroup": (
        "no charge for a placement group",
        f"{_AZURE}virtual-machines/co-location",
    ),
    "azure-native:compute:CapacityReservationGroup": (
        "no charge for the group; its reservations are billed",
        f"{_AZURE}virtual-machines/capacity-reservation-overview",
    ),
    "azure-native:monitor:AzureMonitorWorkspace": _COLLECTION,
    "azure-native:monitor:DataCollectionEndpoint": _COLLECTION,
    "azure-native:monitor:DataCollectionRule": _COLLECTION,
    "azure-native:monitor:DataCollectionRuleAssociation": _COLLECTION,
    "azure-native:alertsmanagement:PrometheusRuleGroup": (
        "no charge for rules; what they read is billed as queries, which are not counted",
        _AZURE_MONITOR,
    ),
    "azure-native:storage:BlobContainer": _ACCOUNT_SETTING,
    "azure-native:storage:BlobServiceProperties": _ACCOUNT_SETTING,
    "azure-native:storage:FileServiceProperties": _ACCOUNT_SETTING,
    "azure-native:netapp:Account": (
        "no charge for the account; its capacity pools are billed",
        "https://azure.microsoft.com/pricing/details/netapp/",
    ),
    "azure-native:netapp:CapacityPoolVolume": (
        "no charge for a volume; its capacity pool is billed",
        "https://azure.microsoft.com/pricing/details/netapp/",
    ),
    "azure-native:keyvault:Vault": (
        "no charge but for operations, which are not counted",
        "https://azure.microsoft.com/pricing/details/key-vault/",
    ),
}

_OTHERS: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    (
        "no charge for the group or configuration; its machines are billed",
        "https://aws.amazon.com/ec2/autoscaling/pricing/",
        (
            "aws:autoscaling/attachment:Attachment",
            "aws:autoscaling/lifecycleHook:LifecycleHook",
            "aws:autoscaling/policy:Policy",
            "aws:autoscaling/schedule:Schedule",
            "aws:appautoscaling/policy:Policy",
            "aws:appautoscaling/target:Target",
            "aws:ec2/launchConfiguration:LaunchConfiguration",
        ),
    ),
    (
        "part of the load balancer's price",
        "https://aws.amazon.com/elasticloadbalancing/pricing/",
        (
            "aws:alb/listener:Listener",
            "aws:alb/targetGroup:TargetGroup",
            "aws:alb/targetGroupAttachment:TargetGroupAttachment",
            "aws:lb/listener:Listener",
            "aws:lb/listenerCertificate:ListenerCertificate",
            "aws:lb/listenerRule:ListenerRule",
            "aws:lb/targetGroup:TargetGroup",
            "aws:lb/targetGroupAttachment:TargetGroupAttachment",
        ),
    ),
    (
        "no charge for the object; what runs is billed with its service",
        "https://aws.amazon.com/ecs/pricing/",
        (
            "aws:ecs/cluster:Cluster",
            "aws:ecs/clusterCapacityProviders:ClusterCapacityProviders",
            "aws:ecs/capacityProvider:CapacityProvider",
            "aws:ecs/taskDefinition:TaskDefinition",
        ),
    ),
    (
        "no charge for the object; its databases and caches are billed",
        "https://aws.amazon.com/rds/pricing/",
        (
            "aws:docdb/clusterParameterGroup:ClusterParameterGroup",
            "aws:docdb/subnetGroup:SubnetGroup",
            "aws:elasticache/parameterGroup:ParameterGroup",
            "aws:elasticache/subnetGroup:SubnetGroup",
            "aws:rds/clusterParameterGroup:ClusterParameterGroup",
            "aws:rds/optionGroup:OptionGroup",
            "aws:rds/parameterGroup:ParameterGroup",
            "aws:rds/subnetGroup:SubnetGroup",
            "aws:redshift/subnetGroup:SubnetGroup",
        ),
    ),
    (
        "no charge for the object; requests are billed with their API or function",
        "https://aws.amazon.com/api-gateway/pricing/",
        (
            "aws:apigateway/deployment:Deployment",
            "aws:apigateway/integration:Integration",
            "aws:apigateway/integrationResponse:IntegrationResponse",
            "aws:apigateway/method:Method",
            "aws:apigateway/methodResponse:MethodResponse",
            "aws:apigateway/resource:Resource",
            "aws:apigatewayv2/integration:Integration",
            "aws:apigatewayv2/route:Route",
            "aws:apigatewayv2/stage:Stage",
            "aws:lambda/eventSourceMapping:EventSourceMapping",
            "aws:lambda/layerVersion:LayerVersion",
            "aws:lambda/permission:Permission",
        ),
    ),
    (
        "no charge for settings of a bucket",
        "https://aws.amazon.com/s3/pricing/",
        (
            "aws:s3/bucketAcl:BucketAcl",
            "aws:s3/bucketCorsConfiguration:BucketCorsConfiguration",
            "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
            "aws:s3/bucketNotification:BucketNotification",
            "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
            "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
            "aws:s3/bucketVersioning:BucketVersioning",
            "aws:s3/bucketWebsiteConfiguration:BucketWebsiteConfiguration",
        ),
    ),
    (
        "what a bucket holds is billed with the bucket",
        "https://aws.amazon.com/s3/pricing/",
        ("aws:s3/bucketObject:BucketObject", "aws:s3/bucketObjectv2:BucketObjectv2"),
    ),
    (
        "queries are billed with their zone",
        "https://aws.amazon.com/route53/pricing/",
        ("aws:route53/record:Record",),
    ),
    (
        "no charge for a validation",
        "https://aws.amazon.com/certificate-manager/pricing/",
        ("aws:acm/certificateValidation:CertificateValidation",),
    ),
    (
        "no charge for the object; its attachments are billed",
        "https://aws.amazon.com/transit-gateway/pricing/",
        (
            "aws:ec2transitgateway/transitGateway:TransitGateway",
            "aws:ec2transitgateway/routeTable:RouteTable",
            "aws:ec2transitgateway/route:Route",
        ),
    ),
    (
        "no charge for the gateway; its connections are billed",
        "https://aws.amazon.com/vpn/pricing/",
        ("aws:ec2/customerGateway:CustomerGateway", "aws:ec2/vpnGateway:VpnGateway"),
    ),
    (
        "no charge for the object; its secret is billed",
        "https://aws.amazon.com/secrets-manager/pricing/",
        ("aws:secretsmanager/secretVersion:SecretVersion", "aws:secretsmanager/secretPolicy:SecretPolicy"),
    ),
    (
        "no charge for policies of a repository",
        "https://aws.amazon.com/ecr/pricing/",
        ("aws:ecr/lifecyclePolicy:LifecyclePolicy", "aws:ecr/repositoryPolicy:RepositoryPolicy"),
    ),
    (
        "no charge for settings; the distribution is billed",
        "https://aws.amazon.com/cloudfront/pricing/",
        (
            "aws:cloudfront/originAccessControl:OriginAccessControl",
            "aws:cloudfront/originAccessIdentity:OriginAccessIdentity",
            "aws:cloudfront/cachePolicy:CachePolicy",
        ),
    ),
    (
        "no charge for the catalogue's database",
        "https://aws.amazon.com/glue/pricing/",
        ("aws:glue/catalogDatabase:CatalogDatabase",),
    ),
    ("no charge for policies", "https://aws.amazon.com/sns/pricing/", ("aws:sns/topicPolicy:TopicPolicy",)),
    (
        "no charge for a template or autoscaler; machines are billed with their group",
        "https://cloud.google.com/compute/all-pricing",
        (
            "gcp:compute/autoscaler:Autoscaler",
            "gcp:compute/healthCheck:HealthCheck",
            "gcp:compute/instanceTemplate:InstanceTemplate",
            "gcp:compute/regionAutoscaler:RegionAutoscaler",
            "gcp:compute/regionHealthCheck:RegionHealthCheck",
            "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
        ),
    ),
    (
        "part of the load balancer, which is billed by its forwarding rule",
        "https://cloud.google.com/vpc/network-pricing",
        (
            "gcp:compute/backendBucket:BackendBucket",
            "gcp:compute/backendService:BackendService",
            "gcp:compute/managedSslCertificate:ManagedSslCertificate",
            "gcp:compute/regionBackendService:RegionBackendService",
            "gcp:compute/regionNetworkEndpointGroup:RegionNetworkEndpointGroup",
            "gcp:compute/targetHttpProxy:TargetHttpProxy",
            "gcp:compute/targetHttpsProxy:TargetHttpsProxy",
            "gcp:compute/uRLMap:URLMap",
        ),
    ),
    (
        "no charge for the gateway; its tunnels are billed",
        "https://cloud.google.com/network-connectivity/docs/vpn/pricing",
        (
            "gcp:compute/haVpnGateway:HaVpnGateway",
            "gcp:compute/externalVpnGateway:ExternalVpnGateway",
            "gcp:compute/routerInterface:RouterInterface",
            "gcp:compute/routerPeer:RouterPeer",
        ),
    ),
    (
        "part of its instance's price",
        "https://cloud.google.com/sql/pricing",
        ("gcp:sql/database:Database", "gcp:sql/user:User"),
    ),
    ("queries are billed with their zone", "https://cloud.google.com/dns/pricing", ("gcp:dns/recordSet:RecordSet",)),
    (
        "Identity and Access Management has no charge",
        "https://cloud.google.com/iam/pricing",
        (
            "gcp:cloudfunctions/functionIamMember:FunctionIamMember",
            "gcp:cloudrun/iamMember:IamMember",
            "gcp:cloudrunv2/serviceIamMember:ServiceIamMember",
            "gcp:pubsub/topicIAMMember:TopicIAMMember",
            "gcp:secretmanager/secretIamMember:SecretIamMember",
            "gcp:bigquery/datasetIamMember:DatasetIamMember",
        ),
    ),
    (
        "what a bucket holds is billed with the bucket",
        "https://cloud.google.com/storage/pricing",
        ("gcp:storage/bucketObject:BucketObject",),
    ),
    (
        "no charge for the object; what it belongs to is billed",
        "https://azure.microsoft.com/pricing/details/virtual-network/",
        (
            "azure-native:compute:AvailabilitySet",
            "azure-native:network:ApplicationSecurityGroup",
            "azure-native:network:LocalNetworkGateway",
            "azure-native:network:NetworkInterface",
            "azure-native:network:VirtualWan",
            "azure-native:privatedns:VirtualNetworkLink",
        ),
    ),
    (
        "queries are billed with their zone",
        "https://azure.microsoft.com/pricing/details/dns/",
        ("azure-native:dns:RecordSet", "azure-native:privatedns:PrivateRecordSet"),
    ),
    (
        "part of its server's price",
        "https://azure.microsoft.com/pricing/details/postgresql/flexible-server/",
        (
            "azure-native:dbformysql:Configuration",
            "azure-native:dbformysql:Database",
            "azure-native:dbformysql:FirewallRule",
            "azure-native:dbforpostgresql:Configuration",
            "azure-native:dbforpostgresql:Database",
            "azure-native:dbforpostgresql:FirewallRule",
        ),
    ),
    (
        "no charge for a logical server; its databases are billed",
        "https://azure.microsoft.com/pricing/details/azure-sql-database/single/",
        ("azure-native:sql:Server", "azure-native:sql:FirewallRule"),
    ),
    (
        "part of its namespace's price",
        "https://azure.microsoft.com/pricing/details/service-bus/",
        (
            "azure-native:eventhub:ConsumerGroup",
            "azure-native:eventhub:EventHub",
            "azure-native:servicebus:Queue",
            "azure-native:servicebus:Subscription",
            "azure-native:servicebus:Topic",
        ),
    ),
    (
        "no charge for the environment on the consumption plan; its apps are billed",
        "https://azure.microsoft.com/pricing/details/container-apps/",
        ("azure-native:app:ManagedEnvironment",),
    ),
    (
        "no charge for the object; its containers are billed",
        "https://azure.microsoft.com/pricing/details/cosmos-db/",
        ("azure-native:cosmosdb:DatabaseAccount",),
    ),
    (
        "billed with its profile",
        "https://azure.microsoft.com/pricing/details/cdn/",
        ("azure-native:cdn:Endpoint",),
    ),
    (
        "a standard secret has no charge but for operations",
        "https://azure.microsoft.com/pricing/details/key-vault/",
        ("azure-native:keyvault:Secret",),
    ),
)
"""(why, where that is said, the types of which it holds) of what other programs have."""

_LOCAL: Final = frozenset({"archive", "null", "random", "std", "time", "tls"})
"""Packages that make values in the state and nothing in a cloud."""

_VALUE: Final = ("a value in the state: nothing is made in a cloud", "https://www.pulumi.com/registry/packages/random/")

_FREE_GROUPS: Final = frozenset(
    {
        # Kubernetes' own API groups
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "apps",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "core",
        "discovery.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
        # objects of controllers that make nothing outside the cluster by themselves
        "azmonitoring.coreos.com",
        "jobset.x-k8s.io",
        "karpenter.azure.com",
        "karpenter.k8s.aws",
        "karpenter.k8s.gcp",
        "kueue.x-k8s.io",
        "mellanox.com",
        "monitoring.coreos.com",
        "monitoring.googleapis.com",
        "networking.gke.io",
        "nfd.k8s-sigs.io",
        "nvidia.com",
        "trainer.kubeflow.org",
    }
)
"""API groups whose objects cost nothing. Any other group may make cloud resources, so it is not assumed free."""


_FREE.update((type_, (why, source)) for why, source, types in _OTHERS for type_ in types)


def free_reason(type_: str) -> tuple[str, str] | None:
    """(why, source) of a type that is free, None when nothing says so."""
    found = _FREE.get(type_)
    if found is None and type_.startswith("kubernetes:"):
        # kubernetes:<group>/<version>:<Kind>
        group = type_.split(":")[1].split("/")[0]
        return _OBJECT if group in _FREE_GROUPS else None
    if found is None and type_.partition(":")[0] in _LOCAL:
        return _VALUE
    return found


def free_types() -> dict[str, tuple[str, str]]:
    """Every free type by name, API groups of Kubernetes as `kubernetes:<group>/*`."""
    groups = {f"kubernetes:{group}/*": _OBJECT for group in sorted(_FREE_GROUPS)}
    values = {f"{package}:*": _VALUE for package in sorted(_LOCAL)}
    return {**dict(sorted(_FREE.items())), **groups, **values}
