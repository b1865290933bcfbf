module github.com/hotupdate/providerconfig

go 1.26

require (
	github.com/stretchr/testify v1.10.0
	pgregory.net/rapid v1.1.0
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
	k8s.io/apimachinery v0.34.0 // indirect
)
