package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// output is how a command writes its result. It is a flag.
type output string

// The outputs.
const (
	textOutput     output = "text"
	markdownOutput output = "markdown"
	jsonOutput     output = "json"
)

// outputFlag is a flag that takes some of the outputs, the first of which is the default.
type outputFlag struct {
	output
	allowed []output
}

func addOutput(flags *pflag.FlagSet, allowed ...output) *outputFlag {
	f := &outputFlag{allowed[0], allowed}
	flags.VarP(f, "output", "o", "how to write the result: "+f.choices())
	return f
}

func (f *outputFlag) choices() string {
	var names []string
	for _, o := range f.allowed {
		names = append(names, string(o))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// String returns the output.
func (f *outputFlag) String() string { return string(f.output) }

// Type returns the word that stands for the value in --help.
func (f *outputFlag) Type() string { return "FORMAT" }

// Set reads the output.
func (f *outputFlag) Set(text string) error {
	if !slices.Contains(f.allowed, output(text)) {
		return &usageError{"write " + f.choices()}
	}
	f.output = output(text)
	return nil
}

// poolFlags choose pools and the Schema of their provider configs.
type poolFlags struct{ pool, schema string }

func (p *poolFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&p.pool, "pool", "", "only the worker pool of this `NAME`")
	flags.StringVar(&p.schema, "schema", "", "the `FILE` with the Schema of the provider config, for one that is not built in")
}

// choose returns the pools of a manifest that the flag leaves, which must be some.
func (p *poolFlags) choose(m *manifest) ([]pool.Pool, error) {
	if p.pool == "" {
		return m.pools.Pools, nil
	}
	var names []string
	for _, one := range m.pools.Pools {
		if one.Worker.Name == p.pool {
			return []pool.Pool{one}, nil
		}
		names = append(names, one.Worker.Name)
	}
	return nil, noPool(p.pool, m.from, names)
}
