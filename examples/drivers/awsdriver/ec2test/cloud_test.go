package ec2test_test

import (
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver/ec2test"
)

// call makes a request with pairs of parameters after the action. It returns the text of the answer and the error's code.
func call(tb testing.TB, c http.Handler, action string, pairs ...string) (text, code string) {
	tb.Helper()
	form := url.Values{"Action": {action}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	answer := post(c, form.Encode(), "key")
	var refused struct {
		Code string `xml:"Errors>Error>Code"`
	}
	if answer.Code != http.StatusOK {
		require.NoError(tb, xml.Unmarshal(answer.Body.Bytes(), &refused))
	}
	return answer.Body.String(), refused.Code
}

func post(c http.Handler, body, accessKey string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+accessKey+"/20240101/r/ec2/aws4_request")
	answer := httptest.NewRecorder()
	c.ServeHTTP(answer, request)
	return answer
}

// launched is a cloud with one instance, which has a volume and an interface.
func launched(tb testing.TB, config ec2test.Config) *ec2test.Cloud {
	tb.Helper()
	config.AccessKeys = []string{"key"}
	c := ec2test.New(config)
	_, code := call(tb, c, "RunInstances", "ImageId", "ami-1", "ClientToken", "token", "BlockDeviceMapping.1.DeviceName", "/dev/xvda",
		"NetworkInterface.1.DeviceIndex", "0",
		"TagSpecification.1.ResourceType", "instance", "TagSpecification.1.Tag.1.Key", "Name", "TagSpecification.1.Tag.1.Value", "m")
	require.Empty(tb, code)
	return c
}

// tagsOf returns the infrastructure tags of the instance.
func tagsOf(c *ec2test.Cloud) map[string]string {
	r, _ := c.Resource("i-1")
	return r.Tags
}

func TestRefusals(t *testing.T) {
	many := []string{"ResourceId.1", "i-1"}
	for i := range 50 {
		many = append(many, "Tag."+strconv.Itoa(i+1)+".Key", "k"+strconv.Itoa(i), "Tag."+strconv.Itoa(i+1)+".Value", "v")
	}
	for _, test := range []struct {
		action, code string
		pairs        []string
	}{
		{"Nothing", "InvalidAction", nil},
		{"CreateTags", "InvalidParameterValue", nil},
		{"CreateTags", "TagLimitExceeded", many},
		{"CreateTags", "InvalidParameterValue", []string{"ResourceId.1", "i-1", "Tag.1.Key", "AWS:x", "Tag.1.Value", "v"}},
		{"CreateTags", "InvalidParameterValue", []string{"ResourceId.1", "i-1", "Tag.1.Key", "", "Tag.1.Value", "v"}},
		{"CreateTags", "InvalidParameterValue", []string{"ResourceId.1", "i-1", "Tag.1.Key", "k", "Tag.1.Value", strings.Repeat("x", 257)}},
		{
			"CreateTags", "InvalidParameterValue",
			[]string{"ResourceId.1", "i-1", "Tag.1.Key", "k", "Tag.1.Value", "v", "Tag.2.Key", "k", "Tag.2.Value", "v"},
		},
		{
			"CreateTags", "InvalidVolume.NotFound",
			[]string{"ResourceId.1", "i-1", "ResourceId.2", "vol-9", "Tag.1.Key", "k", "Tag.1.Value", "v"},
		},
		{"DeleteTags", "InvalidInstanceID.NotFound", []string{"ResourceId.1", "i-9", "Tag.1.Key", "Name"}},
		{"DescribeInstances", "InvalidInstanceID.NotFound", []string{"InstanceId.1", "i-9"}},
		{"DescribeVolumes", "InvalidParameterValue", []string{"Filter.1.Name", "colour", "Filter.1.Value.1", "red"}},
		{"DescribeVolumes", "InvalidParameterValue", []string{"MaxResults", "x"}},
		{"ModifyNetworkInterfaceAttribute", "InvalidNetworkInterfaceID.NotFound", []string{"NetworkInterfaceId", "eni-9"}},
		{"ModifyVolume", "InvalidParameterValue", []string{"VolumeId", "vol-1", "Iops", "-1"}},
		{"AssignIpv6Addresses", "InvalidParameterValue", []string{"NetworkInterfaceId", "eni-1", "Ipv6PrefixCount", "1000000"}},
		{"TerminateInstances", "InvalidInstanceID.NotFound", []string{"InstanceId.1", "i-9"}},
	} {
		c := launched(t, ec2test.Config{})
		_, code := call(t, c, test.action, test.pairs...)
		assert.Equal(t, test.code, code, "%s %v", test.action, test.pairs)
		assert.Equal(t, map[string]string{"Name": "m"}, tagsOf(c), "a call that is refused changes nothing")
	}
	c := launched(t, ec2test.Config{})
	assert.Equal(t, http.StatusUnauthorized, post(c, "Action=DescribeInstances", "somebody").Code)
}

// TestConditions: DeleteTags with a value, also an empty one, removes the key only if it has this value; without a value, in any case.
func TestConditions(t *testing.T) {
	for _, test := range []struct {
		pairs []string
		left  bool
	}{{[]string{"Tag.1.Value", "m"}, false}, {[]string{"Tag.1.Value", "n"}, true}, {[]string{"Tag.1.Value", ""}, true}, {nil, false}} {
		c := launched(t, ec2test.Config{})
		_, code := call(t, c, "DeleteTags", append([]string{"ResourceId.1", "i-1", "Tag.1.Key", "Name"}, test.pairs...)...)
		require.Empty(t, code)
		assert.Equal(t, test.left, len(tagsOf(c)) > 0, "%v", test.pairs)
	}
}

// TestLag: reads show the past, and the answer of a launch the present.
func TestLag(t *testing.T) {
	c := launched(t, ec2test.Config{ReadLag: 300 * time.Millisecond})
	text, _ := call(t, c, "DescribeInstances")
	assert.NotContains(t, text, "i-1")
	again, _ := call(t, c, "RunInstances", "ClientToken", "token")
	assert.Contains(t, again, "<instanceId>i-1</instanceId>")
	require.Eventually(
		t, func() bool { text, _ := call(t, c, "DescribeInstances"); return strings.Contains(text, "i-1") }, 10*time.Second,
		10*time.Millisecond,
	)
	c.Inject(ec2test.Fault{Action: "DescribeInstances", Effect: ec2test.Stale, Delay: time.Hour})
	text, _ = call(t, c, "DescribeInstances")
	assert.NotContains(t, text, "i-1")
	assert.Zero(t, c.Pending())
}

// TestPages: pages are full, no result is on two pages, and the last page has no token.
func TestPages(t *testing.T) {
	c := launched(t, ec2test.Config{PageSize: 2})
	for range 4 {
		c.Attach(ec2test.Resource{Kind: ec2test.Volume, Instance: "i-1"})
	}
	var seen []string
	for token := ""; ; {
		text, code := call(
			t, c, "DescribeVolumes", "NextToken", token, "Filter.1.Name", "attachment.instance-id", "Filter.1.Value.1", "i-1",
		)
		require.Empty(t, code)
		var page struct {
			IDs   []string `xml:"volumeSet>item>volumeId"`
			Token string   `xml:"nextToken"`
		}
		require.NoError(t, xml.Unmarshal([]byte(text), &page))
		assert.LessOrEqual(t, len(page.IDs), 2)
		seen = append(seen, page.IDs...)
		if token = page.Token; token == "" {
			break
		}
	}
	assert.Equal(t, []string{"vol-1", "vol-2", "vol-3", "vol-4", "vol-5"}, seen)
}

// TestModifyVolume: a modification is accepted, and takes effect or fails later. Until then and for a while after it,
// another one is refused.
func TestModifyVolume(t *testing.T) {
	c := launched(t, ec2test.Config{ModifyTime: 50 * time.Millisecond, Cooldown: 300 * time.Millisecond})
	c.Inject(ec2test.Fault{Action: "ModifyVolume", Effect: ec2test.FailsLater})
	modify := func(iops string) string {
		_, code := call(t, c, "ModifyVolume", "VolumeId", "vol-1", "Iops", iops)
		return code
	}
	iops := func() int { r, _ := c.Resource("vol-1"); return r.Iops }
	require.Empty(t, modify("4000"))
	assert.Equal(t, "IncorrectModificationState", modify("5000"))
	require.Eventually(t, func() bool { return modify("5000") == "VolumeModificationRateExceeded" }, 10*time.Second, time.Millisecond)
	text, _ := call(t, c, "DescribeVolumesModifications", "VolumeId.1", "vol-1")
	assert.Regexp(t, "<modificationState>failed</modificationState><startTime>[^<]+</startTime><targetIops>4000</targetIops>", text)
	assert.Equal(t, 3000, iops())
	require.Eventually(t, func() bool { return modify("5000") == "" }, 10*time.Second, time.Millisecond)
	text, _ = call(t, c, "DescribeVolumesModifications")
	assert.Regexp(t, "<modificationState>modifying</modificationState><startTime>[^<]+</startTime><targetIops>5000</targetIops>", text)
	require.Eventually(t, func() bool { return iops() == 5000 }, 10*time.Second, time.Millisecond)
}

// TestTermination: resources of the launch are deleted, other attached ones stay, and the client token makes no new instance.
func TestTermination(t *testing.T) {
	c := launched(t, ec2test.Config{})
	foreign := c.Attach(ec2test.Resource{Kind: ec2test.Volume, Instance: "i-1"})
	_, code := call(t, c, "TerminateInstances", "InstanceId.1", "i-1")
	require.Empty(t, code)
	left := c.Resources()
	require.Len(t, left, 1)
	assert.Equal(t, foreign, left[0].ID)
	_, code = call(t, c, "RunInstances", "ClientToken", "token")
	assert.Equal(t, "IdempotentInstanceTerminated", code)
	text, _ := call(t, c, "DescribeInstances", "InstanceId.1", "i-1")
	assert.Contains(t, text, "<name>terminated</name>")
}

// TestThrottling: calls beyond the limit are refused with 503, and may be repeated later.
func TestThrottling(t *testing.T) {
	c := launched(t, ec2test.Config{})
	c.Limit(rate.NewLimiter(20, 2), nil)
	var codes []int
	for range 3 {
		codes = append(codes, post(c, "Action=DescribeVolumes", "key").Code)
	}
	assert.Equal(t, []int{http.StatusOK, http.StatusOK, http.StatusServiceUnavailable}, codes)
	_, code := call(t, c, "CreateTags", "ResourceId.1", "i-1", "Tag.1.Key", "k", "Tag.1.Value", "v")
	assert.Empty(t, code, "writes have a limit of their own")
	require.Eventually(
		t, func() bool { return post(c, "Action=DescribeVolumes", "key").Code == http.StatusOK }, 10*time.Second, time.Millisecond,
	)
}

// TestUnanswered: a request whose answer is lost has taken effect, one that never lands has not, and one that lands late does so once.
func TestUnanswered(t *testing.T) {
	for _, test := range []struct {
		effect         ec2test.Effect
		atOnce, landed bool
	}{{ec2test.AnswerLost, true, true}, {ec2test.NeverLands, false, false}, {ec2test.LandsLate, false, true}} {
		c := launched(t, ec2test.Config{})
		server := httptest.NewServer(c)
		defer server.Close()
		c.Inject(ec2test.Fault{Action: "CreateTags", Resource: "i-1", Effect: test.effect, Delay: time.Hour})
		request, err := http.NewRequestWithContext(
			t.Context(), http.MethodPost, server.URL, strings.NewReader("Action=CreateTags&ResourceId.1=i-1&Tag.1.Key=k&Tag.1.Value=v"),
		)
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Authorization", "Credential=key/")
		client := http.Client{Timeout: 200 * time.Millisecond}
		answer, err := client.Do(request)
		if err == nil {
			_, _ = io.ReadAll(answer.Body)
			require.NoError(t, answer.Body.Close())
		}
		require.Error(t, err, test.effect)
		assert.Equal(t, test.atOnce, tagsOf(c)["k"] == "v", test.effect)
		c.LandNow()
		assert.Equal(t, test.landed, tagsOf(c)["k"] == "v", test.effect)
		c.Change("i-1", func(r *ec2test.Resource) { delete(r.Tags, "k") })
		c.LandNow()
		assert.Empty(t, tagsOf(c)["k"], test.effect)
	}
}

// FuzzServeHTTP: every answer is XML, and the instance still exists unless it was terminated.
func FuzzServeHTTP(f *testing.F) {
	for _, body := range []string{
		"Action=CreateTags&ResourceId.1=i-1&Tag.1.Key=k&Tag.1.Value=v",
		"Action=DescribeInstances&Filter.1.Name=tag-key&Filter.1.Value.1=Name&MaxResults=5",
		"Action=RunInstances&BlockDeviceMapping.1.Ebs.Iops=1&NetworkInterface.1.NetworkCardIndex=7",
		"Action=DeleteTags&ResourceId.99999999999999999999=i-1&Tag..Key=",
		"Action=ModifyVolume&VolumeId=vol-1&Iops=%ff&Throughput=1e9",
		"Action=AssignIpv6Addresses&NetworkInterfaceId=eni-1&Ipv6PrefixCount=3", "%zz", "Action=DescribeImages&ImageId.1=%01",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		c := launched(t, ec2test.Config{})
		answer := post(c, body, "key")
		require.NoError(t, xml.Unmarshal(answer.Body.Bytes(), new(any)), "%s", answer.Body)
		if form, err := url.ParseQuery(body); err != nil || form.Get("Action") != "TerminateInstances" {
			assert.True(t, slices.ContainsFunc(c.Resources(), func(r ec2test.Resource) bool { return r.ID == "i-1" }))
		}
	})
}
