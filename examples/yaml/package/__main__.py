from gpucluster.components.package.provider import main

main()
