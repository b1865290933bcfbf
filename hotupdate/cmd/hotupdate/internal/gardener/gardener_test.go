package gardener_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/gardener"
	"github.com/hotupdate/providerconfig/internal/gardenerplugin"
)

// behaviour is the environment variable that makes the test a program like hotupdate-gardener, which
// behaves in a certain way.
const behaviour = "HOTUPDATE_GARDENER_BEHAVIOUR"

func TestMain(m *testing.M) {
	if as := os.Getenv(behaviour); as != "" {
		os.Exit(behave(as))
	}
	os.Exit(m.Run())
}

// behave answers every question with the region of its new Shoot.
func behave(as string) int {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	var setup gardenerplugin.Setup
	line, _ := lines.ReadBytes('\n')
	_ = json.Unmarshal(line, &setup)
	ready := gardenerplugin.Ready{FormatVersion: setup.FormatVersion, Gardener: "v1.150.0"}
	for _, object := range setup.Objects {
		ready.Ignored = append(ready.Ignored, string(object))
	}
	switch as {
	case "mute":
		return 3
	case "loud":
		fmt.Fprintln(os.Stderr, "first\nthe last word")
		return 3
	case "other":
		ready.FormatVersion++
	case "refusing":
		ready.Error = "there is no such gate"
	case "garbage":
		fmt.Println("Usage: something else")
		return 0
	}
	_ = answers.Encode(ready)
	for i := 0; ; i++ {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		if as == "dying" && i == 1 {
			return 3
		}
		var question gardenerplugin.Question
		_ = json.Unmarshal(line, &question)
		var region string
		_ = json.Unmarshal(question.New, &region)
		_ = answers.Encode(gardenerplugin.Answer{Assumed: []string{region}, Error: string(question.Old)})
	}
	if as == "failing" {
		return 3
	}
	return 0
}

func start(t *testing.T, as string, objects ...json.RawMessage) (*gardener.Session, error) {
	t.Helper()
	t.Setenv(behaviour, as)
	program, err := os.Executable()
	require.NoError(t, err)
	return gardener.Start(program, objects, nil)
}

func TestSession(t *testing.T) {
	s, err := start(t, "well", json.RawMessage(`{"a":1}`))
	require.NoError(t, err)
	assert.Equal(t, "v1.150.0", s.Version)
	assert.Equal(t, []string{`{"a":1}`}, s.Ignored)
	a, err := s.Ask(nil, []byte(`"eu"`), "")
	require.NoError(t, err)
	assert.Equal(t, gardenerplugin.Answer{Assumed: []string{"eu"}}, a)
	a, err = s.Ask([]byte("7"), []byte(`"us"`), "")
	require.NoError(t, err)
	assert.Equal(t, gardenerplugin.Answer{Assumed: []string{"us"}, Error: "7"}, a)
	require.NoError(t, s.Close())
}

// TestManyQuestions: every question gets its own answer, also if there are more than the pipe holds.
func TestManyQuestions(t *testing.T) {
	s, err := start(t, "well")
	require.NoError(t, err)
	var asking sync.WaitGroup
	for i := range 500 {
		asking.Go(func() {
			text := strconv.Itoa(i) + strings.Repeat("x", 5000)
			a, err := s.Ask(nil, []byte(strconv.Quote(text)), "")
			assert.NoError(t, err)
			assert.Equal(t, []string{text}, a.Assumed)
		})
	}
	asking.Wait()
	require.NoError(t, s.Close())
}

// TestLateQuestions: a comparison that is interrupted may still ask when its session is closed. Each question gets an answer or an error.
func TestLateQuestions(t *testing.T) {
	for range 20 {
		s, err := start(t, "well")
		require.NoError(t, err)
		var asking sync.WaitGroup
		for range 50 {
			asking.Go(func() {
				if _, err := s.Ask(nil, []byte(`"a"`), ""); err != nil {
					assert.ErrorContains(t, err, "the session is closed")
				}
			})
		}
		require.NoError(t, s.Close())
		asking.Wait()
		_, err = s.Ask(nil, []byte(`"a"`), "")
		require.ErrorContains(t, err, "the session is closed")
	}
}

func TestUnusablePrograms(t *testing.T) {
	for as, want := range map[string]string{
		"mute":     "it ends without an answer",
		"loud":     "it ends without an answer (the last word)",
		"other":    "it has the format version 2, but this command has 1; install the same release of both",
		"refusing": "there is no such gate",
		"garbage":  "its answer cannot be read",
	} {
		_, err := start(t, as)
		require.Error(t, err, as)
		assert.Contains(t, err.Error(), want)
		assert.Contains(t, err.Error(), "--gardener none does without it")
	}
	_, err := gardener.Start(filepath.Join(t.TempDir(), "none"), nil, nil)
	require.ErrorContains(t, err, "--gardener none")
}

// TestProgramDies: all questions from then on get the error, and nobody waits for ever.
func TestProgramDies(t *testing.T) {
	s, err := start(t, "dying")
	require.NoError(t, err)
	_, err = s.Ask(nil, []byte(`"a"`), "")
	require.NoError(t, err)
	for range 3 {
		_, err = s.Ask(nil, []byte(`"b"`), "")
		require.ErrorContains(t, err, s.Program())
	}
	require.Error(t, s.Close())
}

// TestProgramFails: an exit code other than 0 is an error, also after all answers.
func TestProgramFails(t *testing.T) {
	s, err := start(t, "failing")
	require.NoError(t, err)
	_, err = s.Ask(nil, []byte(`"a"`), "")
	require.NoError(t, err)
	require.ErrorContains(t, s.Close(), "exit status 3")
}

func TestFind(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	found, err := gardener.Find("")
	require.NoError(t, err)
	assert.Empty(t, found)
	_, err = gardener.Find("hotupdate-other")
	require.ErrorContains(t, err, "name a program, or none")

	program := filepath.Join(folder, gardenerplugin.Command)
	require.NoError(t, os.WriteFile(program, nil, 0o700))
	for named, want := range map[string]string{"": program, gardenerplugin.Command: program, program: program, "none": ""} {
		found, err := gardener.Find(named)
		require.NoError(t, err, named)
		assert.Equal(t, want, found, named)
	}
	t.Chdir(folder)
	t.Setenv("PATH", ".")
	found, err = gardener.Find("")
	require.NoError(t, err)
	assert.Empty(t, found, "a program of the current folder is not run unasked")
}
