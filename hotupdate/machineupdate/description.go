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

// Describe returns the Schema and the abilities of a driver as JSON, for
// [Classes.PrepareDescribed]. Its form may change: driver and controller are one process.
func (d *Driver) Describe(schema *hotupdate.Schema) ([]byte, error) {
	exported, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	return json.Marshal(description{exported, *d})
}

// PrepareDescribed is Prepare with the Schema and the Driver that Driver.Describe wrote. The
// description is read once. An empty description stands for a driver without hot updates.
func (c *Classes) PrepareDescribed(class MachineClass, text []byte) (prepared *Prepared, beyond bool, err error) {
	schema, driver, err := c.describedBy(text)
	if err != nil {
		return nil, false, &fault.Error{
			Kind: fault.Malformed, Code: "unusable-description", Where: "description of the driver",
			What: "cannot be read", Hint: "pass the result of Driver.Describe", Cause: err,
		}
	}
	return c.Prepare(class, schema, driver)
}

// describedBy reads a description.
func (c *Classes) describedBy(text []byte) (*hotupdate.Schema, Driver, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	switch {
	case len(text) == 0:
		return nil, Driver{}, nil
	case c.described == string(text):
		return c.schema, c.driver, nil
	}
	var read description
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, Driver{}, err
	}
	schema, err := hotupdate.LoadSchema(read.Schema)
	if err != nil {
		return nil, Driver{}, err
	}
	c.described = string(text)
	c.schema = schema
	c.driver = read.Driver
	return schema, read.Driver, nil
}
