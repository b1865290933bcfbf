package apiserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	kubernetes "k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/hotupdate/providerconfig/hotupdate/crd/internal/crdplugin"
)

// Serve reads a setup and questions, one a line, and writes an answer for each line until the input ends, in the
// order of the lines. A line that is not a question gets an answer with an error. Serve fails if the setup is
// refused, or input or output fail. The version of Kubernetes counts for the whole process.
func Serve(input io.Reader, output io.Writer) error {
	lines := bufio.NewReader(input)
	answers := json.NewEncoder(output)
	d, err := begin(lines, answers)
	if err != nil {
		return err
	}
	return d.answerAll(lines, answers)
}

// Version returns the version of Kubernetes whose code answers.
func Version() string {
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range built.Deps {
			if dependency.Path == "k8s.io/apiextensions-apiserver" {
				return "v1" + strings.TrimPrefix(dependency.Version, "v0")
			}
		}
	}
	return "unknown"
}

// begin reads the setup and answers it.
func begin(lines *bufio.Reader, answers *json.Encoder) (definitions, error) {
	ready := crdplugin.Ready{FormatVersion: crdplugin.FormatVersion, APIServer: Version()}
	var setup crdplugin.Setup
	line, err := nextLine(lines)
	if errors.Is(err, io.EOF) {
		err = errors.New("the input is empty; its first line must be the setup")
	}
	if err == nil {
		err = json.Unmarshal(line, &setup)
	}
	if err == nil && setup.Kubernetes != "" {
		err = emulate(setup.Kubernetes)
	}
	d := definitions{}
	for _, definition := range setup.Definitions {
		if problem := d.add(definition); problem != nil {
			ready.Ignored = append(ready.Ignored, problem.Error())
		}
	}
	if err != nil {
		err = fmt.Errorf("setup: %w", err)
		ready.Error = err.Error()
	}
	return d, errors.Join(err, answers.Encode(ready))
}

// emulate sets the feature gates of the API server as a minor version of Kubernetes has them.
func emulate(minor string) error {
	parsed, err := kubernetes.ParseMajorMinor(minor)
	if err != nil {
		return fmt.Errorf("%q is not a minor version of Kubernetes, such as 1.29", minor)
	}
	newest := utilfeature.DefaultMutableFeatureGate.EmulationVersion()
	if newest.LessThan(parsed) {
		return nil // a newer release does not tolerate less: ratcheting is locked
	}
	return utilfeature.DefaultMutableFeatureGate.SetEmulationVersion(parsed)
}

// task is a question on its way.
type task struct {
	line   []byte
	answer chan crdplugin.Answer
}

// answerAll answers lines, as many at once as there are processors.
func (d definitions) answerAll(lines *bufio.Reader, answers *json.Encoder) error {
	open := make(chan task)
	inOrder := make(chan task, runtime.GOMAXPROCS(0))
	failure := make(chan error, 1)
	for range cap(inOrder) {
		go func() {
			for t := range open {
				t.answer <- d.answerLine(t.line)
			}
		}()
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(inOrder)
		defer close(open)
		for {
			line, err := nextLine(lines)
			if err != nil {
				failure <- err
				return
			}
			t := task{line, make(chan crdplugin.Answer, 1)}
			inOrder <- t
			open <- t
		}
	})
	for t := range inOrder {
		if err := answers.Encode(<-t.answer); err != nil {
			return err // the process ends, and the goroutines with it
		}
	}
	reading.Wait()
	if err := <-failure; !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// nextLine returns the next line with something in it. The last one may have no end.
func nextLine(lines *bufio.Reader) ([]byte, error) {
	for {
		line, err := lines.ReadBytes('\n')
		isBlank := len(bytes.Trim(line, " \t\r\n")) == 0
		switch {
		case !isBlank && (err == nil || errors.Is(err, io.EOF)):
			return line, nil
		case err != nil:
			return nil, err
		}
	}
}

// answerLine answers a line. A panic of the API server's code is an answer with an error.
func (d definitions) answerLine(line []byte) (answer crdplugin.Answer) {
	defer func() {
		if problem := recover(); problem != nil {
			answer = crdplugin.Answer{Error: fmt.Sprintf("the API server's code failed: %T", problem)}
		}
	}()
	var question crdplugin.Question
	if err := json.Unmarshal(line, &question); err != nil {
		return crdplugin.Answer{Error: "the line is not a question: " + err.Error()}
	}
	return d.answer(question)
}
