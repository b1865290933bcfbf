package gardener

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// Serve reads a setup and questions, one a line, and writes an answer for each line until the input
// ends, in the order of the lines. A line that is not a question gets an answer with an error. Serve
// fails if the setup is refused, or input or output fail.
func Serve(input io.Reader, output io.Writer) error {
	lines := bufio.NewReader(input)
	answers := json.NewEncoder(output)
	judges, err := begin(lines, answers)
	if err != nil {
		return err
	}
	return answerAll(judges, lines, answers)
}

// task is a question on its way.
type task struct {
	line   []byte
	answer chan gardenerplugin.Answer
}

// answerAll answers lines, as many at once as there are judges.
func answerAll(judges []*Judge, lines *bufio.Reader, answers *json.Encoder) error {
	open := make(chan task)
	inOrder := make(chan task, len(judges))
	failure := make(chan error, 1)
	for _, judge := range judges {
		go func() {
			for t := range open {
				t.answer <- answerTo(judge, t.line)
			}
		}()
	}
	go func() {
		defer close(inOrder)
		defer close(open)
		for {
			line, err := nextLine(lines)
			if err != nil {
				failure <- err
				return
			}
			t := task{line, make(chan gardenerplugin.Answer, 1)}
			inOrder <- t
			open <- t
		}
	}()
	for t := range inOrder {
		if err := answers.Encode(<-t.answer); err != nil {
			return err // the process ends, and the goroutines with it
		}
	}
	if err := <-failure; !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// begin reads the setup and answers it. It returns a judge for each processor.
func begin(lines *bufio.Reader, answers *json.Encoder) (judges []*Judge, err error) {
	ready := gardenerplugin.Ready{FormatVersion: gardenerplugin.FormatVersion, Gardener: Version()}
	var setup gardenerplugin.Setup
	line, err := nextLine(lines)
	if errors.Is(err, io.EOF) {
		err = errors.New("the input is empty; its first line must be the setup")
	}
	if err == nil {
		err = json.Unmarshal(line, &setup)
	}
	for len(judges) < runtime.GOMAXPROCS(0) && err == nil {
		var judge *Judge
		judge, ready.Ignored, err = New(setup)
		judges = append(judges, judge)
	}
	if err != nil {
		err = fmt.Errorf("setup: %w", err)
		ready.Error = err.Error()
	}
	return judges, errors.Join(err, answers.Encode(ready))
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

func answerTo(judge *Judge, line []byte) gardenerplugin.Answer {
	var question gardenerplugin.Question
	if err := json.Unmarshal(line, &question); err != nil {
		return gardenerplugin.Answer{ID: question.ID, Error: "the line is not a question: " + err.Error()}
	}
	return judge.Judge(question)
}
