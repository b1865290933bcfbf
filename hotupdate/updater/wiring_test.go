package updater_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// events has the events that are sent to an API server from now on.
func (s *apiServer) events() <-chan corev1.Event {
	sent := make(chan corev1.Event, 100)
	s.fail = func(w http.ResponseWriter, r *http.Request) bool {
		_, resource, _ := strings.Cut(r.URL.Path, "/namespaces/")
		in, isEvent := strings.CutSuffix(resource, "/events")
		if !isEvent {
			return false
		}
		var event corev1.Event
		assert.NoError(s, json.NewDecoder(r.Body).Decode(&event))
		assert.Equal(s, event.Namespace, in)
		sent <- event
		answer(w, http.StatusCreated, event)
		return true
	}
	return sent
}

// next returns the reason of the next event, and whom it is about.
func next(t *testing.T, sent <-chan corev1.Event) (reason, message string, of corev1.ObjectReference) {
	t.Helper()
	select {
	case event := <-sent:
		return event.Reason, event.Message, event.InvolvedObject
	case <-time.After(10 * time.Second):
		require.Fail(t, "no event")
		return "", "", corev1.ObjectReference{}
	}
}

// TestOtherNamespace: an Updater for a namespace that exists and is not that of the machines updates none of them.
// Creations tell, by an event that reaches the machine's namespace, and nothing is stored.
func TestOtherNamespace(t *testing.T) {
	t.Parallel()
	s := newAPIServer(t)
	sent := s.events()
	u := s.updater()
	u.Creating(t.Context(), &metav1.ObjectMeta{Name: "m", Namespace: "other"}, &metav1.ObjectMeta{Name: "class"}, []byte(redVersion))
	reason, message, of := next(t, sent)
	assert.Equal(t, []string{"HotUpdateVersionNotStored", "other", "m"}, []string{reason, of.Namespace, of.Name})
	assert.Contains(t, message, namespace)
	assert.Equal(t, map[string]int{"Foreign": 1}, outcomes(t, u))
	assert.Nil(t, s.data())
}

// TestRunIsNeverCalled: creations tell, once the process has had the time to call it. The version is stored nevertheless.
func TestRunIsNeverCalled(t *testing.T) {
	t.Parallel()
	s := newAPIServer(t)
	sent := s.events()
	u := s.updater()
	create(t, u, "class", red)
	assert.Empty(t, sent, "it is early yet")
	u.Age(time.Minute)
	create(t, u, "class", map[string]string{"team": "blue"})
	reason, _, of := next(t, sent)
	assert.Equal(t, []string{"HotUpdateNotRunning", namespace, "m"}, []string{reason, of.Namespace, of.Name})
	assert.Equal(t, map[string]int{"Stored": 2}, outcomes(t, u))

	running := s.updater()
	ctx := t.Context()
	go running.Run(ctx)
	time.Sleep(100 * time.Millisecond)
	running.Age(time.Minute)
	create(t, running, "class", red)
	assert.Empty(t, sent)
}
