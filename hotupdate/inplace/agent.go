package inplace

// IsReadyForUpdate reports whether a node agent may begin with the update: the node is drained, the
// InPlace part is applied, and the agent has not answered yet. For all functions of this file, nil
// is a node without labels and annotations.
func (n *Node) IsReadyForUpdate() bool {
	return n != nil && n.Reason == ReadyForUpdate && !has(n.Labels, resultLabel)
}

// IsUnderUpdate reports whether the node is, or may soon be, drained or updated. A watchdog does
// not count it as unhealthy.
func (n *Node) IsUnderUpdate() bool {
	return n != nil && (n.isSelected() || n.mark().Cordoned)
}

// IsCandidate reports whether the node waits for its update, which has not begun. If the phase of its
// machine is InPlaceUpdating or InPlaceUpdateFailed nevertheless, an update was canceled.
func (n *Node) IsCandidate() bool {
	switch {
	case n == nil || n.Reason != candidateForUpdate:
		return false
	case n.Labels[resultLabel] == answerSuccessful, n.Labels[resultLabel] == answerFailed:
		return false // the answer is yet to be removed
	}
	return !n.mark().Cordoned
}

// WithSuccess returns the node with the agent's answer that it has updated the node. It differs in
// labels and annotations.
func (n *Node) WithSuccess() *Node {
	updated := n.copied().unanswered()
	updated.Labels[resultLabel] = answerSuccessful
	return updated
}

// WithFailure returns the node with the agent's answer that the update has failed, and why. It
// differs in labels and annotations.
func (n *Node) WithFailure(reason string) *Node {
	failed := n.copied()
	failed.Labels[resultLabel] = answerFailed
	failed.Annotations[failureAnnotation] = reason
	return failed
}
