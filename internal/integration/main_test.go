package integration_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	helm "helm.sh/helm/v4/pkg/cmd"
	kubectl "k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	kustomize "sigs.k8s.io/kustomize/kustomize/v5/commands"
)

// Scripts call kubectl, Helm and kustomize by their names; they run this test's own binary.
func TestMain(m *testing.M) {
	os.Exit(testscript.RunMain(m, map[string]func() int{
		"kubectl": runKubectl, "helm": runHelm, "kustomize": runKustomize,
	}))
}

func runKubectl() int {
	if err := kubectl.NewDefaultKubectlCommand().Execute(); err != nil {
		util.CheckErr(err) // exits
	}
	return 0
}

func runHelm() int {
	command, err := helm.NewRootCmd(os.Stdout, os.Args[1:], helm.SetupLogging)
	if err == nil {
		err = command.Execute()
	}
	return codeOf(err)
}

func runKustomize() int { return codeOf(kustomize.NewDefaultCommand().Execute()) }

func codeOf(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
