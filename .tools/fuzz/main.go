// Command fuzz runs every fuzz target of a module for a short time each:
//
//	go run -C .tools/fuzz . -dir ../.. -time 5s
//
// It finds targets in the sources. So a target that a build constraint hides is a failure.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type target struct{ folder, name string }

func main() {
	dir := flag.String("dir", ".", "folder of the module")
	each := flag.Duration("time", 5*time.Second, "how long each target runs")
	flag.Parse()
	targets, err := declared(*dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	failed := 0
	for _, t := range targets {
		if err := t.fuzz(*each); err != nil {
			fmt.Printf("%s in %s: %v\n", t.name, t.folder, err)
			failed++
		}
	}
	fmt.Printf("fuzz targets: %d, %v each, %d failed\n", len(targets), *each, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

// declared finds the fuzz targets in the sources of a module, except in modules below it and in
// folders that the go command ignores.
func declared(module string) (found []target, err error) {
	err = filepath.WalkDir(module, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != module && isLeftOut(path, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
				found = append(found, target{filepath.Dir(path), f.Name.Name})
			}
		}
		return nil
	})
	return found, err
}

func isLeftOut(path, name string) bool {
	isHidden := strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
	if isHidden || name == "testdata" || name == "vendor" {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil
}

// fuzz runs one target and prints its output. It limits the minimizer, which takes very long for
// some targets.
func (t target) fuzz(each time.Duration) error {
	fmt.Println("--", t.folder, t.name)
	start := time.Now()
	run := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", each.String(),
		"-fuzzminimizetime", "1x", ".")
	run.Dir = t.folder
	var out bytes.Buffer
	run.Stdout = io.MultiWriter(os.Stdout, &out)
	run.Stderr = run.Stdout
	err := run.Run()
	switch {
	case strings.Contains(out.String(), "no fuzz tests to fuzz"):
		return errors.New("is in the sources, and go test does not see it")
	case err == nil:
		return nil
	case onlyRanOutOfTime(out.String()):
		fmt.Println("found nothing: it ran into its own deadline (golang/go#75804)")
		return nil
	default:
		t.showInputs(start)
		return err
	}
}

// onlyRanOutOfTime reports whether only the target's own deadline failed, which sometimes happens
// before Go 1.27.
func onlyRanOutOfTime(out string) bool {
	if strings.Count(out, "--- FAIL: ") != 1 || !strings.Contains(out, "\n    context deadline exceeded\n") {
		return false
	}
	otherFailures := []string{"Failing input", "failing seed corpus", "\npanic:"}
	return !slices.ContainsFunc(otherFailures, func(sign string) bool { return strings.Contains(out, sign) })
}

// showInputs prints the failing inputs of the run: the clone may be deleted before somebody reads
// the output.
func (t target) showInputs(since time.Time) {
	inputs, _ := filepath.Glob(filepath.Join(t.folder, "testdata", "fuzz", t.name, "*"))
	for _, input := range inputs {
		if info, err := os.Stat(input); err == nil && info.ModTime().After(since) {
			text, _ := os.ReadFile(input)
			fmt.Printf("%s:\n%s\n", input, text)
		}
	}
}
