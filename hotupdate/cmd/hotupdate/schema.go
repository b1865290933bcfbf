package main

import (
	"encoding/json"
	"fmt"
	"io"
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
			p := &schemaPrinter{addOutput(flags, jsonOutput, markdownOutput)}
			return p.run
		},
	}
}

// schemaList is the JSON of all Schemas.
type schemaList struct {
	FormatVersion int              `json:"formatVersion"`
	Schemas       []providerSchema `json:"schemas"`
}

type schemaPrinter struct{ output *outputFlag }

func (p *schemaPrinter) run(c *call) (int, error) {
	if len(c.args) > 1 {
		return 0, &usageError{fmt.Sprintf("takes at most one provider, not %d", len(c.args))}
	}
	all, err := builtIn()
	if err != nil {
		return 0, err
	}
	if len(c.args) == 0 {
		return exitOK, p.write(c, all, schemaList{listVersion, all})
	}
	var names []string
	for _, s := range all {
		if s.Provider == c.args[0] {
			return exitOK, p.write(c, []providerSchema{s}, s.Schema)
		}
		names = append(names, s.Provider)
	}
	return 0, fmt.Errorf("no Schema of a provider %q is built in; there is %s", c.args[0], strings.Join(names, ", "))
}

// write writes Schemas as Markdown, or what stands for them in JSON.
func (p *schemaPrinter) write(c *call, schemas []providerSchema, inJSON any) error {
	if p.output.output == jsonOutput {
		return writeJSON(c, inJSON)
	}
	for _, s := range schemas {
		if err := s.writeMarkdown(&c.out); err != nil {
			return err
		}
	}
	return nil
}

func (s providerSchema) writeMarkdown(out io.Writer) error {
	var document schemajson.Document
	if err := json.Unmarshal(s.Schema, &document); err != nil {
		return err
	}
	fmt.Fprintf(out, "## %s\n\n%s %s, fingerprint %s\n\n", code(s.Provider), code(s.APIVersion), code(s.Kind), code(document.Fingerprint))
	fmt.Fprint(out, "| field | type | class | options |\n| --- | --- | --- | --- |\n")
	writeRows(out, "", document.Root)
	fmt.Fprintln(out)
	return nil
}

// writeRows writes a row for every field below a node.
func writeRows(out io.Writer, path string, n *schemajson.Node) {
	for _, f := range n.Fields {
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", code(at), code(typeOf(f.Type)), f.Class, code(strings.Join(f.Options(), ", ")))
		writeElements(out, at, f.Type)
	}
}

// writeElements writes the fields of an object, or of the elements of a collection.
func writeElements(out io.Writer, path string, n *schemajson.Node) {
	for n.Elem != nil {
		path, n = path+"[]", n.Elem
	}
	writeRows(out, path, n)
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
