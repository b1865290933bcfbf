package editedmcm

// NextRelease makes the next release of machine-controller-manager of this one, for what its pull request 1153 changes:
// the merge patch that transfers a machine to the new MachineSet also has the name of the class in the template of that
// set.
var NextRelease = Change{edits: []edit{
	{
		"pkg/controller/deployment_inplace.go",
		`"labels":%s,"uid":"%s"}}` + "`",
		`"labels":%s,"uid":"%s"},"spec":{"class":{"name":"%s"}}}` + "`",
	},
	{
		"pkg/controller/deployment_inplace.go",
		`string(labelsJSONBytes), oldMachine.UID)`,
		`string(labelsJSONBytes), oldMachine.UID, newMachineSet.Spec.Template.Spec.Class.Name)`,
	},
}}
