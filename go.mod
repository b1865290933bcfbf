module github.com/hotupdate/providerconfig

go 1.26

require (
	k8s.io/apimachinery v0.34.0
	pgregory.net/rapid v1.1.0
)
