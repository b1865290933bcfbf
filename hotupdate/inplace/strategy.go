package inplace

import (
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Types of strategies, and of their orchestration, in spec.strategy of a MachineDeployment.
const (
	typeInPlace        = "InPlaceUpdate"
	typeRolling        = "RollingUpdate"
	orchestratedAuto   = "Auto"
	orchestratedManual = "Manual"
)

// DeploymentStrategy returns the type in spec.strategy of the MachineDeployments of a pool, and for
// InPlaceUpdate the orchestrationType in spec.strategy.inPlaceUpdate. The pool's maxUnavailable and
// maxSurge stand beside it, or in spec.strategy.rollingUpdate.
func DeploymentStrategy(strategy hotupdate.Strategy) (deploymentType, orchestrationType string) {
	switch strategy {
	case hotupdate.AutoInPlaceUpdate:
		return typeInPlace, orchestratedAuto
	case hotupdate.ManualInPlaceUpdate:
		return typeInPlace, orchestratedManual
	case hotupdate.AutoRollingUpdate:
	}
	return typeRolling, ""
}

// StrategyOf is the inverse of [DeploymentStrategy]. Without a type, machines are replaced. An
// orchestrationType counts for InPlaceUpdate only; there it is required.
func StrategyOf(deploymentType, orchestrationType string) (hotupdate.Strategy, error) {
	switch {
	case deploymentType == typeRolling || deploymentType == "":
		return hotupdate.AutoRollingUpdate, nil
	case deploymentType == typeInPlace && orchestrationType == orchestratedAuto:
		return hotupdate.AutoInPlaceUpdate, nil
	case deploymentType == typeInPlace && orchestrationType == orchestratedManual:
		return hotupdate.ManualInPlaceUpdate, nil
	case deploymentType == typeInPlace:
		return 0, unknownStrategy("strategy.inPlaceUpdate.orchestrationType", "write Auto or Manual")
	}
	return 0, unknownStrategy("strategy.type", "write InPlaceUpdate or RollingUpdate")
}

func unknownStrategy(path, hint string) error {
	return &fault.Error{Kind: fault.Unknown, Code: "unknown-strategy", Path: path, What: "is unknown", Hint: hint}
}
