"""AWS' CloudFormation schemas and the IAM grammar, as packaged in cfn-lint."""
