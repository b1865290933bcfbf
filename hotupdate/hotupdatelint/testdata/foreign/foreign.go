// Package foreign has types of somebody else.
package foreign

// Template is a type that the adopter cannot edit.
type Template struct {
	Capacity map[string]string `json:"capacity"`
	Updates  chan int          `json:"updates"`
}

// Ports is a list that overrides make hot.
type Ports struct {
	List []Port `json:"list"`
}

// Port is an element.
type Port struct {
	Number int `json:"number" hotupdatable:"false"`
}
