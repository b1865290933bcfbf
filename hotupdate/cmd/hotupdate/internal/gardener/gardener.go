// Package gardener asks Gardener's own code about changes of Shoots.
//
// That code is in another program, hotupdate-gardener, because it is too large for this one. Package
// gardenerplugin has the format in which the two talk. This package owns the program's process. It must
// not know what an answer means for a plan: package pool merges answers.
package gardener

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/internal/gardenerplugin"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// None is the name of no program.
const None = "none"

// Find returns the path of the program that a user names, by a path or by a name in the PATH. Without a
// name it is [gardenerplugin.Command], and empty if that is not installed.
func Find(named string) (string, error) {
	if named == None {
		return "", nil
	}
	path, err := exec.LookPath(cmp.Or(named, gardenerplugin.Command))
	switch {
	case err == nil:
		return path, nil
	case named == "":
		return "", nil
	}
	return "", fmt.Errorf("--gardener: %w; name a program, or none", err)
}

// Session is a running program. It is safe for concurrent use.
type Session struct {
	// Version is the version of Gardener whose code answers.
	Version string
	// Ignored are the objects that it does not use, each with the reason.
	Ignored []string

	program string
	running *exec.Cmd
	stderr  *tail
	input   io.WriteCloser
	output  *bufio.Reader

	asking  sync.Mutex
	waiting chan chan<- reply // of the questions that are asked, in their order
	ended   sync.WaitGroup
}

type reply struct {
	answer gardenerplugin.Answer
	err    error
}

// inFlight is how many questions the program gets before it has answered the first one.
const inFlight = 64

// Start starts the program at a path. The objects are what the admission of Shoots reads beside a
// Shoot, in JSON, and the gates those of the landscape that are known. The caller has to close the session.
func Start(program string, objects []json.RawMessage, gates map[string]bool) (*Session, error) {
	s := &Session{program: program, stderr: &tail{}, waiting: make(chan chan<- reply, inFlight)}
	s.running = exec.Command(program)
	s.running.Stderr = s.stderr
	var inputErr, outputErr error
	s.input, inputErr = s.running.StdinPipe()
	output, outputErr := s.running.StdoutPipe()
	if err := errors.Join(inputErr, outputErr); err != nil {
		return nil, s.failure(err)
	}
	s.output = bufio.NewReaderSize(output, 1<<16)
	if err := s.running.Start(); err != nil {
		return nil, s.failure(err)
	}
	if err := s.begin(objects, gates); err != nil {
		_ = s.input.Close()
		_ = s.running.Wait() // what it wrote is in the error
		return nil, s.failure(err)
	}
	s.ended.Go(s.receive)
	return s, nil
}

// Program returns the path of the program.
func (s *Session) Program() string { return s.program }

// begin sends the setup.
func (s *Session) begin(objects []json.RawMessage, gates map[string]bool) error {
	line, err := json.Marshal(gardenerplugin.Setup{
		FormatVersion: gardenerplugin.FormatVersion, Objects: objects, FeatureGates: gates,
	})
	if err != nil {
		return err
	}
	sendErr := s.send(line)
	var ready gardenerplugin.Ready
	err = s.next(&ready)
	switch {
	case errors.Is(err, io.EOF):
		return errors.Join(errors.New("it ends without an answer"), sendErr)
	case err != nil:
		return err
	case ready.Error != "":
		return errors.New(ready.Error)
	case ready.FormatVersion != gardenerplugin.FormatVersion:
		return fmt.Errorf("it has the format version %d, but this command has %d; install the same release of both",
			ready.FormatVersion, gardenerplugin.FormatVersion)
	}
	s.Version = ready.Gardener
	s.Ignored = ready.Ignored
	return sendErr
}

// Ask returns the answer to a question. The two Shoots are in JSON; without an old one, the Shoot is
// created. The way is how manifests are applied, see [gardenerplugin.Question]; empty if it is not known.
func (s *Session) Ask(old, updated []byte, way string) (gardenerplugin.Answer, error) {
	line, err := json.Marshal(gardenerplugin.Question{Old: old, New: updated, Apply: way})
	if err != nil {
		return gardenerplugin.Answer{}, s.failure(err)
	}
	r := s.ask(line)
	if r.err != nil {
		return gardenerplugin.Answer{}, s.failure(r.err)
	}
	return r.answer, nil
}

// ask sends a line and waits for the answer.
func (s *Session) ask(line []byte) reply {
	answered := make(chan reply, 1)
	s.asking.Lock()
	s.waiting <- answered
	err := s.send(line)
	s.asking.Unlock()
	r := <-answered // at the latest when the program ends
	if r.err == nil {
		r.err = err // a broken pipe says less than the end of the program
	}
	return r
}

// receive hands over the answers, until there are no more questions.
func (s *Session) receive() {
	var failure error
	for answered := range s.waiting {
		var r reply
		if failure == nil {
			failure = s.next(&r.answer)
		}
		if errors.Is(failure, io.EOF) {
			failure = errors.New("it ends before all questions are answered")
		}
		r.err = failure
		answered <- r
	}
}

// Close ends the program. No question may be asked during or after it.
func (s *Session) Close() error {
	close(s.waiting)
	s.ended.Wait()
	err := s.input.Close()
	if waitErr := s.running.Wait(); waitErr != nil {
		err = waitErr
	}
	if err != nil {
		return s.failure(err)
	}
	return nil
}

// send sends a line.
func (s *Session) send(line []byte) error {
	_, err := s.input.Write(append(line, '\n'))
	return err
}

// next reads the next line.
func (s *Session) next(value any) error {
	line, err := s.output.ReadBytes('\n')
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, value); err != nil {
		return fmt.Errorf("its answer cannot be read: %w", err)
	}
	return nil
}

// failure names the program in an error, with the last line that it wrote to its standard error.
func (s *Session) failure(err error) error {
	last := ""
	if line := s.stderr.last(); line != "" {
		last = " (" + line + ")"
	}
	return fmt.Errorf("%s: %w%s; --gardener none does without it", s.program, err, last)
}

// tail keeps the end of what a program writes to its standard error.
type tail struct {
	mutex sync.Mutex
	text  []byte
}

const maxTail = 4096

// Write keeps the end.
func (t *tail) Write(text []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-maxTail):]
	return len(text), nil
}

// last returns the last line.
func (t *tail) last() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return plaintext.Shorten(lines[len(lines)-1], maxLine, plaintext.ASCII)
}

const maxLine = 200
