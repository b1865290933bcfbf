package login_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// outcome is how a login ends.
type outcome string

const (
	succeeds outcome = "succeeds"
	fails    outcome = "fails"
	panics   outcome = "panics"
	exits    outcome = "ends its goroutine"
	hangs    outcome = "hangs until its context ends"
	ignores  outcome = "ignores the end of its context"
)

// attempt is what happens in a login.
type attempt struct {
	Takes time.Duration
	How   outcome
}

// caller calls Client at a time, and gives up after a while unless that is zero. If Forgets is not
// zero, it forgets the client that it has got after this time.
type caller struct {
	At, GivesUp, Forgets time.Duration
	Credential           int
}

// story is what happens to a Cache. Each credential has its logins, which begin again after the last.
type story struct {
	Callers []caller
	Logins  [][]attempt
}

// answer is what a caller gets, and when.
type answer struct {
	Text string
	At   time.Duration
}

// TestInterleavings draws callers, what becomes of their logins, and times up to some hours. The
// answer of each caller is the answer of a model that has a list of events and no goroutines.
func TestInterleavings(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := drawStory(r)
		want := s.model()
		got, problems := s.run(t)
		if len(problems) > 0 {
			r.Fatalf("%v\n%+v", problems, s)
		}
		for i := range want {
			if got[i] != want[i] {
				r.Fatalf("caller %d got %v, wants %v\n%+v", i, got[i], want[i], s)
			}
		}
	})
}

// drawStory draws times in whole seconds. No two events of different callers are at the same time,
// because each caller has microseconds of its own.
func drawStory(t *rapid.T) story {
	seconds := func(low, high int, name string) time.Duration {
		return time.Duration(rapid.IntRange(low, high).Draw(t, name)) * time.Second
	}
	s := story{Logins: make([][]attempt, 3)}
	how := rapid.SampledFrom([]outcome{succeeds, succeeds, succeeds, succeeds, fails, panics, exits, hangs, ignores})
	for i := range s.Logins {
		for range rapid.IntRange(1, 4).Draw(t, "logins") {
			s.Logins[i] = append(s.Logins[i], attempt{seconds(1, 59, "takes"), how.Draw(t, "how")})
		}
	}
	span := rapid.SampledFrom([]int{60, 600, 10_000}).Draw(t, "span")
	for i := range rapid.IntRange(1, 40).Draw(t, "callers") {
		c := caller{At: seconds(0, span, "at"), Credential: rapid.IntRange(0, 2).Draw(t, "credential")}
		c.At += time.Duration(4*i) * time.Microsecond
		if rapid.Bool().Draw(t, "gives up") {
			c.GivesUp = seconds(0, 70, "after") + time.Microsecond
		}
		if rapid.IntRange(0, 3).Draw(t, "forgets") == 0 {
			c.Forgets = seconds(0, 100, "later") + 2*time.Microsecond
		}
		s.Callers = append(s.Callers, c)
	}
	return s
}

// run tells the story to a Cache.
func (s *story) run(t *testing.T) (answers []answer, problems []string) {
	t.Helper()
	answers = make([]answer, len(s.Callers))
	synctest.Test(t, func(t *testing.T) {
		w := &world{story: s, begun: make([]int, len(s.Logins)), underWay: make([]int, len(s.Logins))}
		cache := login.New(w.login)
		began := time.Now()
		var all sync.WaitGroup
		for i, c := range s.Callers {
			all.Go(func() {
				time.Sleep(c.At)
				ctx := t.Context()
				if c.GivesUp > 0 {
					ending, cancel := context.WithTimeout(ctx, c.GivesUp)
					defer cancel()
					ctx = ending
				}
				got, err := cache.Client(ctx, secretOf(strconv.Itoa(c.Credential)), "")
				answers[i] = answer{textOf(got, err), time.Since(began)}
				if c.Forgets > 0 {
					time.Sleep(c.Forgets)
					cache.Forget(got)
				}
			})
		}
		all.Wait()
		time.Sleep(2 * endless) // of logins that were given up
		problems = w.problems
	})
	return answers, problems
}

// world makes the logins of a story.
type world struct {
	*story

	mutex           sync.Mutex
	begun, underWay []int // by credential
	problems        []string
}

func (w *world) login(ctx context.Context, secret map[string][]byte, _ string) (*client, error) {
	credential, _ := strconv.Atoi(string(secret["password"]))
	w.mutex.Lock()
	number := w.begun[credential]
	w.begun[credential]++
	w.underWay[credential]++
	if w.underWay[credential] > 1 {
		w.problems = append(w.problems, fmt.Sprintf("two logins of credential %d", credential))
	}
	w.mutex.Unlock()
	ended := func() {
		w.mutex.Lock()
		w.underWay[credential]--
		w.mutex.Unlock()
	}
	own := w.Logins[credential][number%len(w.Logins[credential])]
	if own.How == hangs || own.How == ignores {
		<-ctx.Done()
		ended() // a new one may begin
		if own.How == ignores {
			time.Sleep(endless)
			return &client{number: -1}, nil
		}
		return nil, ctx.Err()
	}
	defer ended()
	time.Sleep(own.Takes)
	if ctx.Err() != nil {
		w.mutex.Lock()
		w.problems = append(w.problems, "the context of a login has ended")
		w.mutex.Unlock()
	}
	switch own.How {
	case panics:
		panic("private")
	case exits:
		runtime.Goexit()
	case fails:
		return nil, errRefused
	case succeeds, hangs, ignores:
	}
	return &client{number: int32(number)}, nil
}

var errRefused = errors.New("refused")

// textOf names what Client returned.
func textOf(got *client, err error) string {
	if err == nil {
		return "client " + strconv.Itoa(int(got.number))
	}
	if got != nil {
		return "a client and an error"
	}
	if _, ok := errors.AsType[*machineupdate.PanicError](err); ok {
		return string(panics)
	}
	if problem, ok := errors.AsType[*fault.Error](err); ok && problem.Code == "unusable-login" {
		return string(exits)
	}
	switch {
	case errors.Is(err, errRefused):
		return string(fails)
	case errors.Is(err, context.DeadlineExceeded): // of the login or of the caller: the time tells which
		return "too late"
	}
	return err.Error()
}

// event is a step of the model.
type event struct {
	at time.Duration
	do func()
}

// model computes the answers from the documentation.
func (s *story) model() []answer {
	answers := make([]answer, len(s.Callers))
	kept := make([]int, len(s.Logins))      // the number of the client by credential; -1 if there is none
	waiting := make([][]int, len(s.Logins)) // callers of the login that is under way
	begun := make([]int, len(s.Logins))
	for i := range kept {
		kept[i] = -1
	}
	var events []event
	var now time.Duration
	after := func(d time.Duration, do func()) { events = append(events, event{now + d, do}) }
	drop := func(credential, number int) {
		if kept[credential] == number {
			kept[credential] = -1
		}
	}
	reply := func(i int, text string, number int) {
		answers[i] = answer{text, now}
		if c := s.Callers[i]; c.Forgets > 0 && number >= 0 {
			after(c.Forgets, func() { drop(c.Credential, number) })
		}
	}
	begin := func(credential int) {
		number := begun[credential]
		begun[credential]++
		own := s.Logins[credential][number%len(s.Logins[credential])]
		text := string(own.How)
		takes := own.Takes
		keeps := -1
		switch own.How {
		case succeeds:
			text = "client " + strconv.Itoa(number)
			keeps = number
		case hangs, ignores:
			text = "too late"
			takes = login.Timeout
		case fails, panics, exits:
		}
		after(takes, func() {
			kept[credential] = keeps
			for _, i := range waiting[credential] {
				if answers[i].Text == "" {
					reply(i, text, keeps)
				}
			}
			waiting[credential] = nil
			after(login.Lifetime, func() { drop(credential, number) })
		})
	}
	for i, c := range s.Callers {
		after(c.At, func() {
			if number := kept[c.Credential]; number >= 0 {
				reply(i, "client "+strconv.Itoa(number), number)
				return
			}
			if len(waiting[c.Credential]) == 0 {
				begin(c.Credential)
			}
			waiting[c.Credential] = append(waiting[c.Credential], i)
			if c.GivesUp > 0 {
				after(c.GivesUp, func() {
					if answers[i].Text == "" {
						reply(i, "too late", -1)
					}
				})
			}
		})
	}
	for len(events) > 0 {
		first := slices.MinFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
		next := slices.IndexFunc(events, func(e event) bool { return e.at == first.at })
		events = slices.Delete(events, next, next+1)
		now = first.at
		first.do()
	}
	return answers
}
