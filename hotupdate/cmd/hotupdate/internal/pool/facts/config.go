package facts

import (
	"bytes"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// Config is a provider config, or the spec of a custom resource. It is parsed once: its copies
// share the result, and its type. The zero value is none.
type Config struct{ read *config }

type config struct {
	raw      func() []byte
	tree     func() *tree.Node
	meta     func() TypeMeta
	stored   func() Config
	isAbsent func() bool
}

// ConfigOf returns the config of raw JSON, which may be null or missing.
func ConfigOf(raw []byte) Config {
	return newConfig(func() []byte { return raw }, sync.OnceValue(func() *tree.Node { return tree.Of(raw) }),
		func() bool { return isNoConfig(raw) })
}

// isNoConfig reports whether raw JSON is null or missing.
func isNoConfig(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}

// ConfigAt returns the config that is a value of a manifest, nil for none.
func ConfigAt(n *tree.Node) Config {
	return newConfig(sync.OnceValue(n.JSON), func() *tree.Node { return n },
		func() bool { return n.Kind() == tree.Null })
}

func newConfig(raw func() []byte, read func() *tree.Node, isAbsent func() bool) Config {
	meta := sync.OnceValue(func() TypeMeta { return TypeMetaOf(read()) })
	stored := sync.OnceValue(func() Config { return storedConfig(raw, read()) })
	return Config{&config{raw, read, meta, stored, isAbsent}}
}

// Raw returns the JSON of the config, empty or null if there is none.
func (c Config) Raw() []byte {
	if c.read == nil {
		return nil
	}
	return c.read.raw()
}

// IsAbsent reports whether there is no config: it is null or missing.
func (c Config) IsAbsent() bool { return c.read == nil || c.read.isAbsent() }

// Tree returns the value, nil if there is none or the text is no JSON.
func (c Config) Tree() *tree.Node {
	if c.read == nil || c.read.tree().Kind() == tree.Null {
		return nil
	}
	return c.read.tree()
}

// Type returns the type of the config, empty if there is none.
func (c Config) Type() TypeMeta {
	if c.read == nil {
		return TypeMeta{}
	}
	return c.read.meta()
}

// Same reports whether two configs have the same bytes.
func (c Config) Same(other Config) bool { return c == other || bytes.Equal(c.Raw(), other.Raw()) }

// Stored returns the config as the extension sees it in a Worker: compact, with sorted members, as the API server
// stores objects of unknown types. The order of members and the white space of the Shoot do not reach the extension;
// the order of lists and empty objects do.
func (c Config) Stored() Config {
	if c.IsAbsent() {
		return c
	}
	return c.read.stored()
}

func storedConfig(raw func() []byte, value *tree.Node) Config {
	if stored, isStorable := value.Stored(); value != nil && isStorable {
		return ConfigOf(stored)
	}
	return ConfigOf(raw())
}
