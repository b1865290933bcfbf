package awsdriver_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// wire is EC2's protocol on the fake cloud of drivertest. It repeats a failed request as often as
// the retryer of an SDK would.
type wire struct {
	fleet.Cloud

	attempts int

	mutex sync.Mutex
	shown map[string]bool // the Describe calls, by action, that have shown the read below
	live  []driver.Resource
	err   error
}

// read returns one state of the cloud for the three Describe calls that the driver makes at once.
func (w *wire) read(ctx context.Context, action string) ([]driver.Resource, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if len(w.shown) == 0 || w.shown[action] || ctx.Err() != nil {
		w.shown = map[string]bool{}
		w.live, w.err = w.Resources(ctx)
	}
	w.shown[action] = true
	return w.live, w.err
}

func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, err
	}
	var answer string
	for range w.attempts {
		if answer, err = w.answer(request.Context(), values); err == nil {
			break
		}
	}
	if err != nil && request.Context().Err() != nil {
		return nil, err
	}
	status := http.StatusOK
	if err != nil {
		status = http.StatusInternalServerError
		answer = failure("InternalError", err)
		if errors.Is(err, machineupdate.ErrThrottled) {
			status = http.StatusServiceUnavailable
			answer = failure("RequestLimitExceeded", err)
		}
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer)), Request: request}, nil
}

func failure(code string, err error) string {
	return fmt.Sprintf(
		"<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors><RequestID>r</RequestID></Response>", code,
		escaped(err.Error()),
	)
}

func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer returns no errors
	return b.String()
}

func (w *wire) answer(ctx context.Context, values url.Values) (string, error) {
	action := values.Get("Action")
	list := func(prefix, suffix string) (listed []string) {
		for i := 1; values.Has(fmt.Sprint(prefix, i, suffix)); i++ {
			listed = append(listed, values.Get(fmt.Sprint(prefix, i, suffix)))
		}
		return listed
	}
	var changed []tags.Tag
	for i, key := range list("Tag.", ".Key") {
		changed = append(changed, tags.Tag{Key: key, Value: values.Get(fmt.Sprintf("Tag.%d.Value", i+1))})
	}
	content := ""
	switch action {
	case "CreateTags":
		return "<" + action + "Response/>", w.Change(ctx, list("ResourceId.", ""), changed, nil)
	case "DeleteTags":
		return "<" + action + "Response/>", w.Change(ctx, list("ResourceId.", ""), nil, changed)
	case "DescribeVolumesModifications": // none
	case "DescribeInstances", "DescribeNetworkInterfaces", "DescribeVolumes":
		all, err := w.read(ctx, action)
		if err != nil {
			return "", err
		}
		content = describe(action, all)
	}
	return "<" + action + "Response>" + content + "</" + action + "Response>", nil
}

// describe writes the VM i-1 or the resources that are attached to it in the form of EC2.
func describe(action string, all []driver.Resource) string {
	kind := map[string]tags.Kind{
		"DescribeInstances": tags.VM, "DescribeNetworkInterfaces": tags.Network, "DescribeVolumes": tags.Disk,
	}[action]
	var own, cards, volumes strings.Builder
	for _, r := range all {
		id := map[tags.Kind]string{tags.VM: "instanceId", tags.Network: "networkInterfaceId", tags.Disk: "volumeId"}[r.Kind]
		one := fmt.Sprintf("<%s>%s</%s>", id, r.ID, id)
		switch r.Kind {
		case tags.Network:
			cards.WriteString("<item>" + one + "<attachment><deviceIndex>0</deviceIndex><networkCardIndex>" + cardOf(
				r.ID,
			) + "</networkCardIndex>" +
				"<deleteOnTermination>true</deleteOnTermination></attachment></item>")
		case tags.Disk:
			volumes.WriteString("<item><deviceName>" + cmp.Or(
				strings.TrimPrefix(r.Name, "/root"), "/dev/xvda",
			) + "</deviceName><ebs>" + one +
				"<deleteOnTermination>true</deleteOnTermination></ebs></item>")
		case tags.VM: // network cards and volumes are attached to it
		}
		if r.Kind == kind {
			own.WriteString(
				"<item>" + one + tagSet(r.Tags) + attributesOf(&r) + map[bool]string{true: "@attached"}[kind == tags.VM] + "</item>",
			)
		}
	}
	switch {
	case kind == tags.Network:
		return "<networkInterfaceSet>" + own.String() + "</networkInterfaceSet>"
	case kind == tags.Disk:
		return "<volumeSet>" + own.String() + "</volumeSet>"
	case own.Len() == 0:
		return "<reservationSet/>"
	}
	attached := "<rootDeviceName>/dev/xvda</rootDeviceName><networkInterfaceSet>" + cards.String() +
		"</networkInterfaceSet><blockDeviceMapping>" + volumes.String() + "</blockDeviceMapping>"
	return "<reservationSet><item><instancesSet>" + strings.ReplaceAll(own.String(), "@attached", attached) +
		"</instancesSet></item></reservationSet>"
}

// attributesOf writes the attributes of a resource in the form of EC2.
func attributesOf(r *driver.Resource) string {
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.Attributes)) {
		value := r.Attributes[name].Value()
		if value == "" {
			continue
		}
		text := "<" + name + ">" + value + "</" + name + ">"
		if name == "httpTokens" {
			text = "<metadataOptions>" + text + "<state>applied</state></metadataOptions>"
		}
		all.WriteString(text)
	}
	return all.String()
}

// cardOf returns the network card of an interface; the interface's ID has it after a dot.
func cardOf(id string) string {
	_, card, _ := strings.Cut(id, ".")
	return cmp.Or(card, "0")
}

// tagSet writes infrastructure tags in the form of EC2.
func tagSet(of map[string]string) string {
	var set strings.Builder
	for _, key := range slices.Sorted(maps.Keys(of)) {
		set.WriteString("<item><key>" + escaped(key) + "</key><value>" + escaped(of[key]) + "</value></item>")
	}
	return "<tagSet>" + set.String() + "</tagSet>"
}

// kit is the part of the driver that updates machines.
type kit interface {
	Driver() machineupdate.Driver
	UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error
}

// recorder records the failures of a check.
type recorder struct {
	testing.TB

	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// TestConformance: the driver keeps all promises, with Amazon's SDK and EC2's protocol. The check
// finds a client with a retryer.
func TestConformance(t *testing.T) {
	check := func(attempts int) []string {
		r := &recorder{TB: t}
		setup := drivertest.Setup{
			Rules: tags.AWS.Rules, Request: machineupdate.UpdateMachineRequest{Machine: "m", ProviderID: "aws:///eu-west-1/i-1"},
		}
		setup.Unchanged = []string{ // attributes and the tags of other kinds have tests of their own
			"/blockDevices/*/ebs/iops", "/blockDevices/*/ebs/throughput", "/instanceMetadataOptions/httpTokens",
			"/resourceTags/network", "/resourceTags/vm", "/srcAndDstChecksEnabled",
		}
		setup.Request.Secret = map[string][]byte{awsdriver.AccessKeyID: []byte("key"), awsdriver.SecretAccessKey: []byte("secret")}
		drivertest.Check(r, setup, func(fake *drivertest.FakeCloud) (kit, error) {
			d, err := awsdriver.New(
				awsdriver.Config{HTTP: &http.Client{Transport: &wire{Cloud: fake, attempts: attempts}}, Wait: fake.Wait},
			)
			return d, err
		}, conformanceState(t, "alice", ""), conformanceState(t, "bob", "2"))
		return r.failures
	}
	assert.Empty(t, check(1))
	assert.Contains(t, "\n"+strings.Join(check(retry.DefaultMaxAttempts), "\n"), "\none attempt: ")
}

func conformanceState(t *testing.T, owner, disk string) drivertest.State {
	t.Helper()
	spec := specWith(func(s *awsdriver.ProviderSpec) {
		s.BlockDevices = s.BlockDevices[:1]
		s.Tags["owner"] = owner
		s.ResourceTags = &tags.Tags{}
		if disk != "" {
			s.ResourceTags.Disk = map[string]string{"disk": disk}
		}
	})
	raw, err := json.Marshal(spec)
	require.NoError(t, err)
	flat := maps.Clone(spec.Tags)
	flat["Name"] = "m"
	volume := maps.Clone(flat)
	maps.Copy(volume, spec.ResourceTags.Disk)
	return drivertest.State{Spec: string(raw), Resources: []driver.Resource{
		{Kind: tags.VM, ID: "i-1", Tags: flat},
		{Kind: tags.Network, ID: "eni-1", Tags: maps.Clone(flat)},
		{Kind: tags.Disk, ID: "vol-1", Tags: volume},
		{Kind: tags.Disk, ID: "vol-csi", Name: "/dev/sdz", Tags: map[string]string{"csi": "1"}},
	}}
}

// TestRequests: whichever request EC2 fails to answer, the update continues or waits.
func TestRequests(t *testing.T) {
	setup := drivertest.Setup{Rules: tags.AWS.Rules, Request: machineupdate.UpdateMachineRequest{
		Machine: "m", ProviderID: "aws:///eu-west-1/i-1",
		Secret: map[string][]byte{awsdriver.AccessKeyID: []byte("key"), awsdriver.SecretAccessKey: []byte("secret")},
	}}
	drivertest.CheckRequests(t, setup, func(
		cloud *drivertest.FakeCloud, faulty func(http.RoundTripper) http.RoundTripper,
	) (kit, error) {
		transport := faulty(&wire{Cloud: cloud, attempts: 1})
		d, err := awsdriver.New(awsdriver.Config{
			HTTP: &http.Client{Transport: transport}, Wait: cloud.Wait,
		})
		return d, err
	}, conformanceState(t, "alice", "1"), conformanceState(t, "bob", ""))
}

type always string

func (a always) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusBadRequest, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a))), Request: r,
	}, nil
}

// TestThrottlingCodes: EC2 has several codes for too many calls. Other refusals are final.
func TestThrottlingCodes(t *testing.T) {
	for code, want := range map[string]machineupdate.DriverError{
		"RequestLimitExceeded": machineupdate.ErrThrottled, "Throttling": machineupdate.ErrThrottled,
		"ThrottlingException": machineupdate.ErrThrottled, "EC2ThrottledException": machineupdate.ErrThrottled,
		"RequestThrottled": machineupdate.ErrThrottled, "RequestThrottledException": machineupdate.ErrThrottled,
		"UnauthorizedOperation": "",
	} {
		d, err := awsdriver.New(awsdriver.Config{
			HTTP: &http.Client{Transport: always(failure(code, errors.New("no")))},
			Wait: func(context.Context, time.Duration) error { return context.Canceled },
		})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		state := conformanceState(t, "alice", "")
		kind, _ := machineupdate.DriverErrorOf(d.UpdateMachine(ctx, &machineupdate.UpdateMachineRequest{
			Machine: "m", ProviderID: "aws:///eu-west-1/i-1", Class: machineupdate.MachineClass{ProviderSpec: []byte(state.Spec)},
			Secret: map[string][]byte{awsdriver.AccessKeyID: []byte("key"), awsdriver.SecretAccessKey: []byte("secret")},
			Parts:  []machineupdate.Part{{Kind: "vm", Desired: "{}", Applied: "{}"}},
		}))
		assert.Equal(t, want, kind, code)
	}
}

// limited refuses every request for half a minute.
type limited struct {
	mutex sync.Mutex
	sent  []time.Time
}

func (l *limited) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.sent = append(l.sent, time.Now())
	text := failure("RequestLimitExceeded", errors.New("no"))
	return &http.Response{
		StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"30"}}, Body: io.NopCloser(strings.NewReader(text)),
		Request: r,
	}, nil
}

// TestWaits: an update waits for as long as EC2 says.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limited{}
		d, err := awsdriver.New(awsdriver.Config{HTTP: &http.Client{Transport: l}})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		state := conformanceState(t, "alice", "")
		err = d.UpdateMachine(ctx, &machineupdate.UpdateMachineRequest{
			Machine: "m", ProviderID: "aws:///eu-west-1/i-1", Class: machineupdate.MachineClass{ProviderSpec: []byte(state.Spec)},
			Secret: map[string][]byte{awsdriver.AccessKeyID: []byte("key"), awsdriver.SecretAccessKey: []byte("secret")},
			Parts:  []machineupdate.Part{{Kind: "vm", Desired: "{}", Applied: "{}"}},
		})
		kind, _ := machineupdate.DriverErrorOf(err)
		assert.Equal(t, machineupdate.ErrThrottled, kind)
		require.Greater(t, len(l.sent), 1)
		for i, at := range l.sent[1:] {
			if wait := at.Sub(l.sent[i]); wait > 0 { // a read makes several requests at once
				assert.GreaterOrEqual(t, wait, 30*time.Second)
			}
		}
		assert.LessOrEqual(t, len(l.sent), 3*11)
		time.Sleep(time.Hour) // the pacer's alarm ends
	})
}
