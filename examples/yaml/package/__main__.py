from gpucluster.component_package.provider import main

main()
