package hash

// Data returns the strings that are hashed.
func (k *Kubelet) Data() []string { return values(k.parts()) }
