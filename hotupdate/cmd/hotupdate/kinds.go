package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// kindName identifies a kind of provider config.
type kindName struct{ apiVersion, kind string }

// kind is a kind of provider config that is known.
type kind struct {
	name   kindName
	schema *hotupdate.Schema
}

// builtIn are the known kinds, each with the function that compiles its Schema.
func builtIn() map[kindName]func() (*hotupdate.Schema, error) {
	return map[kindName]func() (*hotupdate.Schema, error){
		{aws.APIVersion, aws.Kind}: aws.Schema,
	}
}

// kindOf finds the kind of a manifest by its apiVersion and kind.
func kindOf(raw []byte) (kind, error) {
	var meta struct {
		APIVersion *string `json:"apiVersion"`
		Kind       *string `json:"kind"`
	}
	if err := json.Unmarshal(raw, &meta); err != nil {
		return kind{}, errors.New("is no object with the strings apiVersion and kind; write a provider config")
	}
	if meta.APIVersion == nil || meta.Kind == nil {
		return kind{}, errors.New("has no apiVersion and kind; write them, such as " + known())
	}
	name := kindName{*meta.APIVersion, *meta.Kind}
	if compile, ok := builtIn()[name]; ok {
		schema, err := compile()
		return kind{name, schema}, err
	}
	return kind{}, fmt.Errorf("has the unknown apiVersion %q and kind %q; known is %s", *meta.APIVersion, *meta.Kind, known())
}

func known() string {
	var names []string
	for k := range builtIn() {
		names = append(names, k.apiVersion+" "+k.kind)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
