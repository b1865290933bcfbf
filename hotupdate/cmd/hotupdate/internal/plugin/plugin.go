// Package plugin runs another program that answers questions: JSON values, one a line.
//
// It owns the program's process. It must not know the meaning of questions and answers, which
// belongs to the packages gardener and validator.
package plugin

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

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// None is the name that stands for no program.
const None = "none"

// Find returns the path of the program that a user names by a flag, as a path or as a name in the
// PATH. Without a name it looks for the usual program, and returns an empty path if that is not
// installed.
func Find(flag, named, usual string) (string, error) {
	if named == None {
		return "", nil
	}
	path, err := exec.LookPath(cmp.Or(named, usual))
	switch {
	case err == nil:
		return path, nil
	case named == "":
		return "", nil
	}
	return "", fmt.Errorf("%s: %w; name a program, or none", flag, err)
}

// Session is a running program, whose answers are of type A. It is safe for concurrent use.
type Session[A any] struct {
	program, flag string
	running       *exec.Cmd
	stderr        *tail
	input         io.WriteCloser
	output        *bufio.Reader

	asking  sync.Mutex // guards closed, and the order of questions
	closed  bool
	waiting chan chan<- reply[A] // for the answers to open questions, in their order
	ended   sync.WaitGroup
}

type reply[A any] struct {
	answer A
	err    error
}

// inFlight is how many questions the program gets before it has answered the first one.
const inFlight = 64

// Start starts the program at a path, sends the setup, and reads the answer to it into ready, which
// check accepts. Flag is the flag by which users name the program. The caller has to close the
// session.
func Start[A any](program, flag string, setup, ready any, check func() error) (*Session[A], error) {
	s := &Session[A]{
		program: program, flag: flag, stderr: &tail{}, waiting: make(chan chan<- reply[A], inFlight),
	}
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
	if err := s.begin(setup, ready, check); err != nil {
		_ = s.input.Close()
		_ = s.running.Wait() // its standard error is in the error
		return nil, s.failure(err)
	}
	s.ended.Go(s.receive)
	return s, nil
}

// Program returns the path of the program.
func (s *Session[A]) Program() string { return s.program }

// begin sends the setup.
func (s *Session[A]) begin(setup, ready any, check func() error) error {
	line, err := json.Marshal(setup)
	if err != nil {
		return err
	}
	sendErr := s.send(line)
	err = s.next(ready)
	switch {
	case errors.Is(err, io.EOF):
		return errors.Join(errors.New("it ends without an answer"), sendErr)
	case err != nil:
		return err
	}
	return errors.Join(check(), sendErr)
}

// CheckReady returns the error of an answer to a setup, whose format version must be the one of this command.
func CheckReady(problem string, version, own int) error {
	switch {
	case problem != "":
		return errors.New(problem)
	case version != own:
		return fmt.Errorf("it has the format version %d, but this command has %d; install the same release of both",
			version, own)
	}
	return nil
}

// Ask returns the answer to a question.
func (s *Session[A]) Ask(question any) (A, error) {
	line, err := json.Marshal(question)
	if err != nil {
		var none A
		return none, s.failure(err)
	}
	r := s.ask(line)
	if r.err != nil {
		return r.answer, s.failure(r.err)
	}
	return r.answer, nil
}

// ask sends a line and waits for the answer.
func (s *Session[A]) ask(line []byte) reply[A] {
	answered := make(chan reply[A], 1)
	s.asking.Lock()
	if s.closed {
		s.asking.Unlock()
		return reply[A]{err: errClosed}
	}
	s.waiting <- answered
	err := s.send(line)
	s.asking.Unlock()
	r := <-answered // at the latest when the program ends
	if r.err == nil {
		r.err = err // a broken pipe explains less than the end of the program
	}
	return r
}

// receive hands over the answers, until there are no more questions.
func (s *Session[A]) receive() {
	var failure error
	for answered := range s.waiting {
		var r reply[A]
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

// errClosed is the error of a question that an interrupted comparison asks after the end of its session.
var errClosed = errors.New("the session is closed")

// Close ends the program, after the answers to the questions that were asked. A later question gets an error.
func (s *Session[A]) Close() error {
	s.asking.Lock()
	s.closed = true
	close(s.waiting)
	s.asking.Unlock()
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
func (s *Session[A]) send(line []byte) error {
	_, err := s.input.Write(append(line, '\n'))
	return err
}

// next reads the next line.
func (s *Session[A]) next(value any) error {
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
func (s *Session[A]) failure(err error) error {
	last := ""
	if line := s.stderr.last(); line != "" {
		last = " (" + line + ")"
	}
	return fmt.Errorf("%s: %w%s; %s none does without it", s.program, err, last, s.flag)
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
