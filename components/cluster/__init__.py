"""A cluster on any cloud: the interface of a cloud, common parts, outputs, facts."""
