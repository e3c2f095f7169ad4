"""The clusters as a component package: for programs in YAML and in every other language of Pulumi.

docs/component-package.md says how a program reaches it.
"""
