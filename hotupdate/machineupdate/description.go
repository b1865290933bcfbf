package machineupdate

import (
	"encoding/json"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// description is the JSON by which a driver describes itself, so that a driver interface needs no
// type of this package.
type description struct {
	Schema json.RawMessage `json:"schema"`
	Driver Driver          `json:"driver"`
}

// Describe returns the driver as JSON, for [Classes.PrepareDescribed]. The format may change
// between releases: driver and controller run in one process. The error is the error of Validate.
func (d *Driver) Describe() ([]byte, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	exported, err := json.Marshal(d.Schema)
	if err != nil {
		return nil, err
	}
	return json.Marshal(description{exported, *d})
}

// PrepareDescribed is Prepare with a driver as JSON, as Driver.Describe wrote it. The description
// is read once. If it cannot be read, for example because it is empty, the error is a
// [*fault.Error] with the code unusable-description.
func (c *Classes) PrepareDescribed(class MachineClass, description []byte) (*PreparedClass, error) {
	driver, err := c.describedBy(description)
	if err != nil {
		return nil, &fault.Error{
			Kind: fault.Invalid, Code: "unusable-description", Where: "description of the driver",
			What: "cannot be read", Hint: "pass the result of Driver.Describe", Cause: err,
		}
	}
	return c.Prepare(class, driver)
}

// describedBy reads a description.
func (c *Classes) describedBy(text []byte) (Driver, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.driver.Schema != nil && c.described == string(text) {
		return c.driver, nil
	}
	var read description
	if err := json.Unmarshal(text, &read); err != nil {
		return Driver{}, err
	}
	schema, err := hotupdate.LoadSchema(read.Schema)
	if err != nil {
		return Driver{}, err
	}
	c.described = string(text)
	c.driver = read.Driver
	c.driver.Schema = schema
	return c.driver, nil
}
