"""The Python language host of an engine we built: it starts Pulumi programs and policy packs.

A released Pulumi includes its own. One process serves a whole command and keeps a second one warm (the SDK imported,
nothing run), from which every program and pack is forked, so that runs share no state. With GPUCLUSTER_NO_FORK each is
started by its interpreter, as a released Pulumi does.
"""
