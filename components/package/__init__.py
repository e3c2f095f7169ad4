"""The clusters as a component package: for programs in YAML and in every other language of Pulumi.

docs/start/component-package.md describes how a program uses it.
"""
