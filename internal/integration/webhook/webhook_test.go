package webhook_test

import (
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
)

const rolls = `Warning: pool cpu: roll, up to 3 machines: machine.type "m5.large" -> "m5.xlarge"`

// shootNamed returns a Shoot with a name, and with texts replaced by others.
func shootNamed(t *testing.T, name string, replace ...string) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/shoot.yaml")
	require.NoError(t, err)
	shoot := strings.Replace(string(text), "name: web\n", "name: "+name+"\n", 1)
	for i := 0; i < len(replace); i += 2 {
		require.Contains(t, shoot, replace[i])
		shoot = strings.Replace(shoot, replace[i], replace[i+1], 1)
	}
	return shoot
}

// warnings returns the warnings that kubectl prints.
func warnings(stderr string) string {
	return strings.Join(regexp.MustCompile(`(?m)^Warning: .*$`).FindAllString(stderr, -1), "\n")
}

// TestKubectl: a user who changes a Shoot by kubectl is warned, whichever kubectl command makes the
// change. Nobody else is warned.
func TestKubectl(t *testing.T) {
	w := newWorld(t)
	h := w.serve(t, time.Now().Add(time.Hour))
	w.use(t, "base", h.address, h.ca)
	run := func(t *testing.T, stdin string, args ...string) (stdout, warned string) {
		t.Helper()
		stdout, stderr, code := w.kubectl(t, stdin, args...)
		if args[0] != "diff" {
			require.Zero(t, code, stderr)
		}
		return stdout, warnings(stderr)
	}
	apply := func(t *testing.T, shoot string, args ...string) string {
		t.Helper()
		_, warned := run(t, shoot, append([]string{"apply", "-f", "-"}, args...)...)
		return warned
	}
	larger := []string{"m5.large", "m5.xlarge"}

	t.Run("apply", func(t *testing.T) {
		assert.Empty(t, apply(t, shootNamed(t, "apply")), "a creation")
		assert.Empty(t, apply(t, shootNamed(t, "apply")), "nothing has changed")
		assert.Equal(t, rolls, apply(t, shootNamed(t, "apply", larger...)))
		assert.Empty(t, apply(t, shootNamed(t, "apply", append(larger, "maximum: 3", "maximum: 5")...)), "machines are added")
		assert.Equal(
			t, "Warning: pool cpu: machines-may-be-deleted, up to 3 machines: maximum 5 -> 2",
			apply(t, shootNamed(t, "apply", append(larger, "maximum: 3", "maximum: 2")...)),
		)
	})
	t.Run("server-side apply and dry run", func(t *testing.T) {
		apply(t, shootNamed(t, "dry"), "--server-side")
		before := h.metric(t, `hotupdate_reviews_judged_total{verdict="roll"}`)
		assert.Equal(t, rolls, apply(t, shootNamed(t, "dry", larger...), "--server-side", "--dry-run=server"))
		assert.NotEqual(t, before, h.metric(t, `hotupdate_reviews_judged_total{verdict="roll"}`))
		stdout, _ := run(t, "", "get", "shoot", "dry", "-n", "garden-dev", "-o", "yaml")
		assert.Contains(t, stdout, "type: m5.large")
		assert.Equal(t, rolls, apply(t, shootNamed(t, "dry", larger...), "--server-side"))
	})
	t.Run("diff", func(t *testing.T) {
		apply(t, shootNamed(t, "diff"))
		stdout, warned := run(t, shootNamed(t, "diff", larger...), "diff", "-f", "-")
		assert.Contains(t, stdout, "m5.xlarge")
		assert.Equal(t, rolls, warned)
	})
	t.Run("edit", func(t *testing.T) {
		apply(t, shootNamed(t, "edit"))
		t.Setenv("EDITOR", "sed -i s/m5.large/m5.xlarge/")
		_, warned := run(t, "", "edit", "shoot", "edit", "-n", "garden-dev")
		assert.Equal(t, rolls, warned)
	})
	t.Run("annotate, label and status", func(t *testing.T) {
		apply(t, shootNamed(t, "meta"))
		count := func() string { return h.metric(t, "hotupdate_review_duration_seconds_count") }
		before := count()
		for _, args := range [][]string{
			{"annotate", "shoot", "meta", "a=b"},
			{"label", "shoot", "meta", "a=b"},
			{"patch", "shoot", "meta", "--subresource=status", "--type=merge", "-p", `{"status":{"hibernated":false}}`},
		} {
			_, warned := run(t, "", append(args, "-n", "garden-dev")...)
			assert.Empty(t, warned, args)
		}
		assert.Equal(t, before, count(), "the API server did not call")
		_, warned := run(t, "", "annotate", "shoot", "meta", "-n", "garden-dev", "gardener.cloud/operation=rotate-credentials-start")
		assert.NotEqual(t, before, count())
		assert.Contains(t, warned, "pool cpu: roll, up to 3 machines: ")
	})
	t.Run("a Shoot that goes", func(t *testing.T) {
		apply(t, shootNamed(t, "gone", "name: gone", "name: gone\n  finalizers: [gardener.cloud/gardener]"))
		run(t, "", "delete", "shoot", "gone", "-n", "garden-dev", "--wait=false")
		before := h.metric(t, "hotupdate_review_duration_seconds_count")
		_, warned := run(
			t, "", "patch", "shoot", "gone", "-n", "garden-dev", "--type=merge", "-p",
			`{"spec":{"region":"a"},"metadata":{"finalizers":[]}}`,
		)
		assert.Empty(t, warned)
		assert.Equal(t, before, h.metric(t, "hotupdate_review_duration_seconds_count"))
	})
	t.Run("a large Shoot", func(t *testing.T) {
		pools := strings.Split(shootNamed(t, "large"), "    - name: cpu\n")
		large := func(machine string) string {
			var all strings.Builder
			all.WriteString(pools[0])
			for i := range 400 {
				all.WriteString("    - name: p" + string(
					rune('a'+i/26%26),
				) + string(rune('a'+i%26)) + "\n      labels: {note: " + strings.Repeat("x", 1000) + "}\n")
				all.WriteString(strings.Replace(pools[1], "m5.large", machine, 1))
			}
			return all.String()
		}
		apply(t, large("m5.large"), "--server-side")
		before := h.metric(t, "hotupdate_review_duration_seconds_count")
		warned := apply(t, large("m5.xlarge"), "--server-side")
		assert.NotEqual(t, before, h.metric(t, "hotupdate_review_duration_seconds_count"), "the conditions are within the limits of CEL")
		assert.True(t, strings.HasPrefix(warned, "Warning: 400 pools roll, up to 1,200 machines\n"), warned)
		before = h.metric(t, "hotupdate_review_duration_seconds_count")
		run(t, "", "annotate", "shoot", "large", "-n", "garden-dev", "a=b")
		assert.Equal(t, before, h.metric(t, "hotupdate_review_duration_seconds_count"), "and skip what changes nothing")
	})
}

// TestFailingServers: if the webhook does not answer, a change takes up to the timeout longer, and
// is admitted without a warning. With the configuration that refuses, the change is refused, except
// for Gardener's users.
func TestFailingServers(t *testing.T) {
	w := newWorld(t)
	hung, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = hung.Close() })
	dead := w.serve(t, time.Now().Add(time.Hour))
	require.NoError(t, dead.process.Process.Kill())
	_, err = dead.process.Process.Wait()
	require.NoError(t, err)
	expired := w.serve(t, time.Now().Add(-time.Hour))
	number := 0
	for name, server := range map[string]struct {
		address string
		ca      []byte
	}{"dead": {dead.address, dead.ca}, "hung": {hung.Addr().String(), dead.ca}, "expired": {expired.address, expired.ca}} {
		t.Run(name, func(t *testing.T) {
			number++
			shoot := "failing-" + name
			_, stderr, code := w.kubectl(t, shootNamed(t, shoot), "apply", "-f", "-")
			require.Zero(t, code, stderr)
			w.use(t, "base", server.address, server.ca)
			started := time.Now()
			_, stderr, code = w.kubectl(t, shootNamed(t, shoot, "m5.large", "m5.xlarge"), "apply", "-f", "-")
			took := time.Since(started)
			require.Zero(t, code, stderr)
			assert.Empty(t, warnings(stderr))
			t.Logf("kubectl apply took %v", took)
			assert.Less(t, took, 30*time.Second)
			w.use(t, "refuse", server.address, server.ca)
			_, stderr, code = w.kubectl(t, shootNamed(t, shoot, "m5.large", "m5.2xlarge"), "apply", "-f", "-")
			assert.NotZero(t, code)
			assert.Contains(t, stderr, "shoots.hotupdate.github.io")
			for kind, as := range gardeners {
				further := shootNamed(t, shoot, "m5.large", kind)
				_, stderr, code = w.kubectl(t, further, append([]string{"apply", "-f", "-", "--as-group=system:masters"}, as...)...)
				assert.Zero(t, code, "Gardener's users are exempt: %q: %s", as, stderr)
			}
		})
	}
}

// gardeners are users of Gardener, each with the machine type that it sets: a service account as
// gardener-operator makes it, a certificate, and a gardenlet.
var gardeners = map[string][]string{
	"m5.2xlarge":  {"--as=system:serviceaccount:garden:gardener-controller-manager"},
	"m5.4xlarge":  {"--as=gardener.cloud:system:controller-manager"},
	"m5.12xlarge": {"--as=gardener.cloud:system:seed:one", "--as-group=gardener.cloud:system:seeds"},
}

// TestRefuse: a change is refused until the object has the digest that the refusal names.
func TestRefuse(t *testing.T) {
	w := newWorld(t)
	h := w.serve(t, time.Now().Add(time.Hour), "--refuse", "roll,removed")
	w.use(t, "refuse", h.address, h.ca)
	apply := func(shoot string) (stderr string, code int) {
		t.Helper()
		_, stderr, code = w.kubectl(t, shoot, "apply", "-f", "-")
		return stderr, code
	}
	_, code := apply(shootNamed(t, "refused"))
	require.Zero(t, code)
	larger := shootNamed(t, "refused", "m5.large", "m5.xlarge")
	stderr, code := apply(larger)
	require.NotZero(t, code)
	require.Contains(
		t, stderr,
		`pool cpu: roll, up to 3 machines: machine.type "m5.large" -> "m5.xlarge"; to make exactly this change, annotate the object with `,
	)
	digest := regexp.MustCompile(`hotupdate\.github\.io/confirm=([0-9a-f]{32})`).FindStringSubmatch(stderr)
	require.NotNil(t, digest, stderr)
	_, stderr, code = w.kubectl(t, "", "annotate", "shoot", "refused", "-n", "garden-dev", digest[0])
	require.Zero(t, code, stderr)
	stderr, code = apply(shootNamed(t, "refused", "m5.large", "m5.2xlarge"))
	assert.NotZero(t, code, "another change")
	assert.NotContains(t, stderr, digest[1])
	stderr, code = apply(larger)
	require.Zero(t, code, stderr)
	assert.Equal(t, rolls, warnings(stderr))
	stderr, code = apply(shootNamed(t, "refused", "maximum: 3", "maximum: 5", "m5.large", "m5.xlarge"))
	assert.Zero(t, code, "machines are added: %s", stderr)
	_, code = apply(shootNamed(t, "refused"))
	require.NotZero(t, code, "back")
}

// TestDeployment: kustomize builds each folder. The webhook of a folder does not block changes when
// it fails, except in the folder refuse.
func TestDeployment(t *testing.T) {
	for folder, policy := range map[string]admissionv1.FailurePolicyType{
		".": admissionv1.Ignore, "base": admissionv1.Ignore, "refuse": admissionv1.Fail, "virtual/garden": admissionv1.Ignore,
	} {
		config := configurationOf(t, folder)
		require.Len(t, config.Webhooks, 1)
		hook := config.Webhooks[0]
		assert.Equal(t, policy, *hook.FailurePolicy, folder)
		assert.Equal(t, admissionv1.SideEffectClassNone, *hook.SideEffects)
		assert.EqualValues(t, 3, *hook.TimeoutSeconds)
		assert.Equal(t, []string{"shoots"}, hook.Rules[0].Resources, "not shoots/status")
		assert.Equal(t, folder == "." || folder == "refuse", config.Annotations["cert-manager.io/inject-ca-from"] != "", folder)
	}
}
