"""AWS' CloudFormation schemas and the grammar of IAM, as cfn-lint has them."""
