from gpucluster.component_package.command import command

command(prog_name="python -m gpucluster.component_package")
