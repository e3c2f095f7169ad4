"""`gpucluster up`: asks the account, shows the costed plan, runs `pulumi up`, and explains a failure."""
