package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/internal/schemajson"
)

func schemaCommand() command {
	return command{
		name:     "schema",
		synopsis: "[--output FORMAT] [PROVIDER]",
		help: `Writes the Schemas of the provider configs that are built in: every field with its type, class and options. Of one PROVIDER the JSON is
what --schema takes; of all of them it is an object with the list schemas, each with provider, apiVersion, kind and schema.`,
		flags: func(flags *pflag.FlagSet) action {
			output := addOutput(flags, jsonOutput, markdownOutput)
			return func(c *call) (int, error) { return exitOK, printSchemas(c, output.output) }
		},
	}
}

func printSchemas(c *call, output string) error {
	if len(c.args) > 1 {
		return &usageError{fmt.Sprintf("takes at most one provider, not %d", len(c.args))}
	}
	all, err := builtIn()
	if err != nil {
		return err
	}
	if len(c.args) == 1 {
		var names []string
		for _, s := range all {
			names = append(names, s.Provider)
		}
		i := slices.Index(names, c.args[0])
		if i < 0 {
			return fmt.Errorf("no Schema of a provider %q is built in; there is %s", c.args[0], strings.Join(names, ", "))
		}
		if output == jsonOutput {
			return writeJSON(c, all[i].Schema)
		}
		all = all[i : i+1]
	}
	if output == jsonOutput {
		return writeList(c, "schemas", all)
	}
	return writeSchemas(&c.out, all)
}

// writeSchemas writes Schemas as Markdown, a table each.
func writeSchemas(out io.Writer, all []providerSchema) error {
	for _, s := range all {
		var document schemajson.Document
		if err := json.Unmarshal(s.Schema, &document); err != nil {
			return err
		}
		fmt.Fprintf(out, "## %s\n\n%s %s, fingerprint %s\n\n", code(s.Provider), code(s.APIVersion), code(s.Kind), code(document.Fingerprint))
		writeMarkdown(out, []string{"field", "type", "class", "options"}, fieldRows("", document.Root))
		fmt.Fprintln(out)
	}
	return nil
}

// fieldRows returns a row for every field below a node: those of an object, or of the elements of a collection.
func fieldRows(path string, n *schemajson.Node) (rows [][]string) {
	for n.Elem != nil {
		path, n = path+"[]", n.Elem
	}
	for _, f := range n.Fields {
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		rows = append(rows, []string{code(at), code(typeOf(f.Type)), f.Class, code(strings.Join(f.Options(), ", "))})
		rows = append(rows, fieldRows(at, f.Type)...)
	}
	return rows
}

func typeOf(n *schemajson.Node) string {
	switch {
	case n.Kind == "map":
		return "map of " + typeOf(n.Elem)
	case n.Elem != nil:
		return n.Kind + " of " + typeOf(n.Elem)
	case n.Bits != 0:
		return fmt.Sprintf("%s%d", n.Kind, n.Bits)
	default:
		return n.Kind
	}
}
