package machineupdate

// The annotations on Machine objects.
const (
	// AnnotationRecord holds what a machine remembers of its hot updates. The package documentation specifies its JSON. A [Lane] has an annotation
	// of this name, with a hyphen and its own name behind it.
	AnnotationRecord = "machine.sapcloud.io/hot-update"
	// AnnotationPause on a Machine or on a MachineClass pauses its hot updates, whatever its value, unless that is "false". Creations and their
	// records go on. An update that was begun stays begun, and is finished afterwards.
	AnnotationPause = "machine.sapcloud.io/pause-hot-update"
	// AnnotationLastApplied mirrors the provider spec of the last success for people, as in the hot-update proposal, section
	// "Reconciliation Changes". Nothing reads it. See [Settings].
	AnnotationLastApplied = "machine.sapcloud.io/last-applied-providerspec"
)

func isPaused(annotations map[string]string) bool {
	value, ok := annotations[AnnotationPause]
	return ok && value != "false"
}
