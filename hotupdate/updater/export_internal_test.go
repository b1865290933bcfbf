package updater

import "time"

// Age lets time pass since New.
func (u *Updater) Age(by time.Duration) { u.made = u.made.Add(-by) }
