module github.com/gardener/machine-controller-manager-provider-aws

go 1.26.0
