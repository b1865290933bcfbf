package schemajson

// Sign gives the document the fingerprint of what stands in it.
func (d *Document) Sign() error {
	fingerprint, err := d.fingerprint()
	d.Fingerprint = fingerprint
	return err
}
