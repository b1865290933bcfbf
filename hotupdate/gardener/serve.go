package gardener

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/gardenerplugin"
)

// Serve reads a setup and questions, one a line, and writes an answer for each line until the input
// ends. A line that is no question gets an answer with an error. Its error says that the setup is
// refused, or that input or output failed.
func Serve(input io.Reader, output io.Writer) error {
	lines := bufio.NewReader(input)
	answers := json.NewEncoder(output)
	judge, err := begin(lines, answers)
	for err == nil {
		var line []byte
		if line, err = nextLine(lines); err == nil {
			err = answers.Encode(answerTo(judge, line))
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// begin reads the setup and answers it.
func begin(lines *bufio.Reader, answers *json.Encoder) (*Judge, error) {
	ready := gardenerplugin.Ready{FormatVersion: gardenerplugin.FormatVersion, Gardener: Version()}
	var setup gardenerplugin.Setup
	line, err := nextLine(lines)
	if errors.Is(err, io.EOF) {
		err = errors.New("the input is empty; its first line must be the setup")
	}
	if err == nil {
		err = json.Unmarshal(line, &setup)
	}
	var judge *Judge
	if err == nil {
		judge, ready.Ignored, err = New(setup)
	}
	if err != nil {
		err = fmt.Errorf("setup: %w", err)
		ready.Error = err.Error()
	}
	return judge, errors.Join(err, answers.Encode(ready))
}

// nextLine returns the next line with something in it. The last one may have no end.
func nextLine(lines *bufio.Reader) ([]byte, error) {
	for {
		line, err := lines.ReadBytes('\n')
		isBlank := true
		for _, c := range line {
			isBlank = isBlank && (c == ' ' || c == '\t' || c == '\r' || c == '\n')
		}
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
		return gardenerplugin.Answer{ID: question.ID, Error: "the line is no question: " + err.Error()}
	}
	return judge.Judge(question)
}
