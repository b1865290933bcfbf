// Command sign computes the fingerprints of the exported Schemas in a folder, *.schema.json, and
// writes a line for each field. It is for Schemas that a program without this module has generated.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hotupdate/providerconfig/internal/schemajson"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: sign FOLDER")
	}
	files, err := filepath.Glob(filepath.Join(args[0], "*.schema.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := sign(file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func sign(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var document schemajson.Document
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	if err := document.Sign(); err != nil {
		return err
	}
	signed, err := json.Marshal(document)
	if err != nil {
		return err
	}
	signed = bytes.ReplaceAll(signed, []byte(`{"name":`), []byte("\n"+`{"name":`))
	return os.WriteFile(file, append(signed, '\n'), 0o644)
}
