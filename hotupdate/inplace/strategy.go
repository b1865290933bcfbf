package inplace

import (
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// The types of strategies in spec.strategy of a MachineDeployment.
const (
	typeInPlace = "InPlaceUpdate"
	typeRolling = "RollingUpdate"
)

// orchestrations has the orchestrationType of each strategy that updates nodes in place.
var orchestrations = map[hotupdate.Strategy]string{
	hotupdate.AutoInPlaceUpdate: "Auto", hotupdate.ManualInPlaceUpdate: "Manual",
}

// DeploymentStrategy returns the type in spec.strategy of the MachineDeployments of a pool, and for
// InPlaceUpdate the orchestrationType in spec.strategy.inPlaceUpdate. The pool's maxUnavailable and
// maxSurge stand beside it, or in spec.strategy.rollingUpdate.
func DeploymentStrategy(strategy hotupdate.Strategy) (deploymentType, orchestrationType string) {
	if orchestration, ok := orchestrations[strategy]; ok {
		return typeInPlace, orchestration
	}
	return typeRolling, ""
}

// StrategyOf is the inverse of [DeploymentStrategy]. Without a type, machines are replaced. An
// orchestrationType counts for InPlaceUpdate only; there it is required.
func StrategyOf(deploymentType, orchestrationType string) (hotupdate.Strategy, error) {
	switch deploymentType {
	case typeRolling, "":
		return hotupdate.AutoRollingUpdate, nil
	case typeInPlace:
		for strategy, orchestration := range orchestrations {
			if orchestration == orchestrationType {
				return strategy, nil
			}
		}
		return 0, unknownStrategy("strategy.inPlaceUpdate.orchestrationType", "write Auto or Manual")
	}
	return 0, unknownStrategy("strategy.type", "write InPlaceUpdate or RollingUpdate")
}

func unknownStrategy(path, hint string) error {
	return &fault.Error{Kind: fault.Unknown, Code: "unknown-strategy", Path: path, What: "is unknown", Hint: hint}
}
