package hotupdatetest

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// defaultsKeepHash: a defaulting function changes no hash.
func (s *subject) defaultsKeepHash(t trial) *breach {
	c := t.first
	if c.null {
		return nil
	}
	for _, d := range s.defaulters {
		config := c.value()
		if survives(func() error { d(config.Interface()); return nil }) != nil {
			return &breach{what: "the defaulting function panics", hint: "mend it"}
		}
		changes, err := s.schema.Diff(c.value().Interface(), config.Interface())
		if err != nil {
			return failed("cannot be compared after defaulting", err)
		}
		if i := slices.IndexFunc(changes, isHashed); i >= 0 {
			return undeclared(changes[i])
		}
	}
	return nil
}

// undeclared explains a change that a defaulting function made. One change does not tell whether the default is always the same.
func undeclared(c hotupdate.Change) *breach {
	if c.Op != hotupdate.Add {
		return &breach{what: "the defaulting function changes what was set, and with it the hash", hint: "let it fill in only what is not set", path: c.Path}
	}
	return &breach{
		what: "the defaulting function changes the hash", path: c.Path,
		hint: "if it fills in the same scalar wherever the field is not set, declare that by the option default of the field's struct tag; " +
			"if not, let the code that reads the field apply the default, or hash what was there before defaulting and leave WithDefaulter out",
	}
}
