// Package hashstructure TODO.
package hashstructure
