// Package schemas has the name of another package.
package schemas

// Twin has the name of another type, and a field of the same name.
type Twin struct {
	Name string `json:"name"`
}
