package gardener_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// serve serves lines, and returns the greeting and the answers.
func serve(tb testing.TB, input string) (ready gardenerplugin.Ready, answers []gardenerplugin.Answer, err error) {
	tb.Helper()
	var output bytes.Buffer
	err = gardener.Serve(strings.NewReader(input), &output)
	lines := json.NewDecoder(&output)
	lines.DisallowUnknownFields()
	require.NoError(tb, lines.Decode(&ready))
	for {
		var answer gardenerplugin.Answer
		if problem := lines.Decode(&answer); errors.Is(problem, io.EOF) {
			return ready, answers, err
		} else {
			require.NoError(tb, problem)
		}
		answers = append(answers, answer)
	}
}

// TestServe: each line gets its answer, in the order of the lines, whatever the others are.
func TestServe(t *testing.T) {
	aws := written(t, "aws")
	input := string(toJSON(t, setup(t))) + "\n"
	var ids []string
	for i := range 50 {
		id := fmt.Sprintf("q%d", i)
		ids = append(ids, id)
		switch i {
		case 7:
			input += `{"id":"q7","old":{},"new":` + string(toJSON(t, aws)) + "}\n\n \t\r\n"
		case 8:
			input += `{"id":"q8","new":null,"aMemberOfALaterVersion":1}` + "\n"
		default:
			updated := with(aws, json.Number(strconv.Itoa(i)), "spec", "provider", "workers", 0, "minimum")
			input += string(toJSON(t, gardenerplugin.Question{ID: id, Old: toJSON(t, aws), New: toJSON(t, updated)})) + "\n"
		}
	}
	input += "no question\n"
	input += `{"id":"last","new":` + string(toJSON(t, aws)) + `}` // without an end
	ids = append(ids, "", "last")

	ready, answers, err := serve(t, input)
	require.NoError(t, err)
	assert.Equal(t, gardenerplugin.FormatVersion, ready.FormatVersion)
	assert.Empty(t, ready.Error)
	assert.Empty(t, ready.Ignored)
	var got []string
	for _, answer := range answers {
		got = append(got, answer.ID)
	}
	assert.Equal(t, ids, got)
	assert.NotEmpty(t, answers[7].Error)
	assert.NotEmpty(t, answers[8].Outcomes[0].Refusals)
	assert.Contains(t, answers[50].Error, "not a question")
	assert.Equal(t, gardenerplugin.Added, answers[51].Outcomes[0].Pools[0].State)
	assert.Equal(t, "spec.provider.workers[0].maximum", answers[49].Outcomes[0].Refusals[0].Field)
	assert.Empty(t, answers[1].Outcomes[0].Refusals)
}

// TestServeRefusesSetup: without a setup there is a greeting with the reason, and no answer.
func TestServeRefusesSetup(t *testing.T) {
	for input, reason := range map[string]string{
		"":                             "the input is empty",
		"\n\n":                         "the input is empty",
		"x\n":                          "invalid character",
		"{}\n":                         "format version is 0",
		`{"formatVersion":2}` + "\n{}": "format version is 2",
		`{"formatVersion":1,"featureGates":{"NoSuchGate":true}}`: "NoSuchGate",
	} {
		ready, answers, err := serve(t, input)
		require.Error(t, err, input)
		assert.Contains(t, ready.Error, reason, input)
		assert.Equal(t, gardenerplugin.FormatVersion, ready.FormatVersion, input)
		assert.Empty(t, answers, input)
	}
}

var errWrite = errors.New("disk full")

type brokenWriter struct{ left int }

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, errWrite
	}
	return len(p), nil
}

// TestServeFailures: an output that cannot be written ends it.
func TestServeFailures(t *testing.T) {
	input := `{"formatVersion":1}` + strings.Repeat("\n{}", 100)
	require.ErrorIs(t, gardener.Serve(strings.NewReader(input), &brokenWriter{0}), errWrite)
	require.ErrorIs(t, gardener.Serve(strings.NewReader(input), &brokenWriter{3}), errWrite)
	reader := io.MultiReader(strings.NewReader(`{"formatVersion":1}`+"\n{}\n"), brokenReader{})
	require.ErrorIs(t, gardener.Serve(reader, io.Discard), errRead)
}

var errRead = errors.New("pipe broken")

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errRead }

// TestCommand: the command answers as the library does, and knows the version of Gardener that go.mod
// requires.
func TestCommand(t *testing.T) {
	command := filepath.Join(t.TempDir(), gardenerplugin.Command)
	build, err := exec.Command("go", "build", "-o", command, "../../cmd/"+gardenerplugin.Command).CombinedOutput()
	require.NoError(t, err, string(build))
	required, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/gardener/gardener").Output()
	require.NoError(t, err)
	version := strings.TrimSpace(string(required))

	out, err := exec.Command(command, "--version").CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "Gardener "+version+", format version 1\n", string(out))

	aws := toJSON(t, written(t, "aws"))
	question := gardenerplugin.Question{ID: "1", Old: aws, New: aws}
	run := exec.Command(command)
	run.Stdin = strings.NewReader(string(toJSON(t, setup(t))) + "\n" + string(toJSON(t, question)) + "\n")
	var problems bytes.Buffer
	run.Stderr = &problems
	out, err = run.Output()
	require.NoError(t, err)
	assert.Empty(t, problems.String())
	lines := strings.Split(string(out), "\n")
	require.Len(t, lines, 3)
	assert.JSONEq(t, `{"formatVersion":1,"gardener":"`+version+`"}`, lines[0])
	assert.JSONEq(t, string(toJSON(t, newJudge(t).Judge(question))), lines[1])

	for _, arguments := range [][]string{{"--no-such-flag"}, {"argument"}, {}} { // without a setup
		out, err = exec.Command(command, arguments...).CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, string(out))
		assert.Equal(t, 1, exit.ExitCode())
		assert.Contains(t, string(out), gardenerplugin.Command+": ")
	}
}
