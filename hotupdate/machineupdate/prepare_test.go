package machineupdate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

func TestPrepare(t *testing.T) {
	class := classOf(t, `{"image":"a","labels":{"l":"1"},"tags":{"b":"2","a":"1"}}`)
	assert.Equal(t, machineupdate.HotSpec(`{"tags":{"a":"1","b":"2"}}`), class.Hot(), "only what is hot, not what is ignored")
	fingerprint, err := schemaOf[spec](t).Fingerprint()
	require.NoError(t, err)
	assert.Equal(t, fingerprint+"?kind=vm", class.Schema())
	assert.Equal(
		t, fingerprint+"?epoch=2&kind=disk&kind=vm&revision=r%26d",
		preparedFor(t, class, machineupdate.Driver{Kinds: []string{"vm", "disk", "vm"}, Revision: "r&d", Epoch: "2"}).Schema(),
		"kinds are a set",
	)
	assert.Equal(t, machineupdate.HotSpec("{}"), classOf(t, `{"image":""}`).Hot())

	for _, providerSpec := range []string{
		``, ` `, `null`, "\tnull\n", `{}`, "{ }\n", `[]`, `{`, `{"image":1}`, `{"new":1,"image":1}`, `{"Tags":{"a":1}}`,
	} {
		_, err := machineupdate.Prepare(machineupdate.MachineClass{ProviderSpec: []byte(providerSpec)}, schemaOf[spec](t), able)
		assert.Equal(t, "unusable-class", codeOf(err), providerSpec)
		assert.NotEmpty(t, fault.All(err), "the cause is that of the reader")
	}
	for _, schema := range []*hotupdate.Schema{nil, {}} {
		p, err := new(
			machineupdate.Classes,
		).Prepare(machineupdate.MachineClass{ProviderSpec: []byte(`{"image":""}`)}, machineupdate.Driver{Schema: schema})
		assert.Nil(t, p)
		assert.Equal(t, "unusable-schema", codeOf(err), "a driver without hot updates has a method of its own")
	}
}

// with returns a driver with a Schema.
func with(schema *hotupdate.Schema, driver machineupdate.Driver) machineupdate.Driver {
	driver.Schema = schema
	return driver
}

// noted counts the changes outside of the hot part that are reported.
func noted() (classes *machineupdate.Classes, changed func() bool) {
	n := 0
	return &machineupdate.Classes{OnNonHotChange: func(metav1.Object) { n++ }}, func() bool {
		isOne := n == 1
		n = 0
		return isOne
	}
}

// TestUnknownMembersAreImmutable: drivers accept unknown members, and an extension may be rolled out before its driver.
func TestUnknownMembersAreImmutable(t *testing.T) {
	known := classOf(t, `{"image":"a","tags":{"a":"1"}}`)
	newer := classOf(t, `{"apiVersion":"v1","kind":"Spec","image":"a","tags":{"a":"1"},"spot":{"price":1}}`)
	assert.Equal(t, []any{known.Hot(), known.Schema()}, []any{newer.Hot(), newer.Schema()}, "no machine is updated for it")

	classes, changed := noted()
	for i, want := range []bool{false, true, true, false} {
		providerSpec := []string{`{"image":""}`, `{"new":1}`, `{"new":2}`, `{"new":2,"tags":{"a":"1"}}`}[i]
		_, err := classes.Prepare(
			machineupdate.MachineClass{
				Object: &metav1.ObjectMeta{UID: "u", ResourceVersion: strconv.Itoa(i + 1)}, ProviderSpec: []byte(providerSpec),
			},
			with(schemaOf[spec](t), able),
		)
		require.NoError(t, err)
		assert.Equal(t, want, changed(), providerSpec)
	}
}

// TestSchemasAreComparedByMeaning: SchemaOf and LoadSchema return a new Schema each time.
func TestSchemasAreComparedByMeaning(t *testing.T) {
	exported, err := json.Marshal(schemaOf[spec](t))
	require.NoError(t, err)
	load := func() *hotupdate.Schema {
		loaded, err := hotupdate.LoadSchema(exported)
		require.NoError(t, err)
		return loaded
	}
	for name, schema := range map[string]func() *hotupdate.Schema{
		"SchemaOf": func() *hotupdate.Schema { return schemaOf[spec](t) }, "LoadSchema": load,
	} {
		classes, changed := noted()
		class := machineupdate.MachineClass{
			Object: &metav1.ObjectMeta{Name: "c", UID: "u", ResourceVersion: "1"}, ProviderSpec: []byte(`{"image":"a"}`),
		}
		first, err := classes.Prepare(class, with(schema(), able))
		require.NoError(t, err)
		again, _ := classes.Prepare(class, with(schema(), able))
		assert.Same(t, first, again, name)
		class = machineupdate.MachineClass{
			Object: &metav1.ObjectMeta{Name: "c", UID: "u", ResourceVersion: "2"}, ProviderSpec: []byte(`{"image":"b"}`),
		}
		_, _ = classes.Prepare(class, with(schema(), able))
		assert.True(t, changed(), name)
	}
}

// TestClassesOfFakes: fake clients give objects neither UID nor resourceVersion. Class b got the hot part of class a.
func TestClassesOfFakes(t *testing.T) {
	for _, fake := range []machineupdate.MachineClass{
		{}, {Object: &metav1.ObjectMeta{UID: "u"}}, {Object: &metav1.ObjectMeta{ResourceVersion: "1"}},
	} {
		classes, changed := noted()
		for i, k := range []string{"1", "2"} {
			fake.ProviderSpec = []byte(`{"image":"` + k + `","tags":{"k":"` + k + `"}}`)
			p, err := classes.Prepare(fake, with(schemaOf[spec](t), able))
			require.NoError(t, err)
			assert.Equal(t, []any{[]machineupdate.HotSpec{hotOne, hotTwo}[i], false}, []any{p.Hot(), changed()})
		}
	}
}

// TestKeptChangeSurvivesABrokenVersion: an image changed while the class could not be read.
func TestKeptChangeSurvivesABrokenVersion(t *testing.T) {
	classes, changed := noted()
	for i, tc := range []struct {
		spec   string
		beyond bool
		ok     bool
	}{
		{`{"image":"a"}`, false, true},
		{`{"image":1}`, false, false},
		{`{"image":"b"}`, true, true},
		{`{"image":2}`, false, false},
		{`{"image":"b"}`, false, true},
	} {
		_, err := classes.Prepare(
			machineupdate.MachineClass{
				Object: &metav1.ObjectMeta{UID: "u", ResourceVersion: strconv.Itoa(i + 1)}, ProviderSpec: []byte(tc.spec),
			},
			with(schemaOf[spec](t), able),
		)
		assert.Equal(t, []bool{tc.beyond, tc.ok}, []bool{changed(), err == nil}, i)
	}
}

// TestForgottenClass: a deleted class is forgotten by its key, which tombstones have as well.
func TestForgottenClass(t *testing.T) {
	var classes machineupdate.Classes
	for _, namespace := range []string{"ns", ""} {
		class := machineupdate.MachineClass{
			Object:       &metav1.ObjectMeta{Namespace: namespace, Name: "c", UID: "u", ResourceVersion: "1"},
			ProviderSpec: []byte(`{"image":""}`),
		}
		first, err := classes.Prepare(class, with(schemaOf[spec](t), able))
		require.NoError(t, err)
		classes.Forget("other/c")
		again, _ := classes.Prepare(class, with(schemaOf[spec](t), able))
		assert.Same(t, first, again)
		classes.Forget(strings.TrimPrefix(namespace+"/c", "/"))
		again, _ = classes.Prepare(class, with(schemaOf[spec](t), able))
		assert.NotSame(t, first, again)
	}
}

// BenchmarkPrepareAgain: a controller that compiles its Schema anew for each machine.
func BenchmarkPrepareAgain(b *testing.B) {
	var classes machineupdate.Classes
	class := machineupdate.MachineClass{
		Object: &metav1.ObjectMeta{Name: "c", UID: "u", ResourceVersion: "1"}, ProviderSpec: []byte(`{"image":"a"}`),
	}
	for b.Loop() {
		schema, _ := hotupdate.SchemaOf[spec]()
		if _, err := classes.Prepare(class, with(schema, able)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestClassesAreReadOnce: a class is read once, and a change beyond its hot part is reported once.
func TestClassesAreReadOnce(t *testing.T) {
	schema := schemaOf[spec](t)
	classes, changed := noted()
	class := func(version, providerSpec string) machineupdate.MachineClass {
		return machineupdate.MachineClass{
			Object: &metav1.ObjectMeta{Name: "c", UID: "u", ResourceVersion: version}, ProviderSpec: []byte(providerSpec),
		}
	}
	first, err := classes.Prepare(class("1", `{"image":"a"}`), with(schema, able))
	require.NoError(t, err)
	assert.False(t, changed())
	again, _ := classes.Prepare(class("1", `{"image":"not looked at"}`), with(schema, able))
	assert.Same(t, first, again)
	for _, tc := range []struct {
		version, spec string
		want          bool
	}{
		{"2", `{"image":"a","tags":{"k":"1"}}`, false},
		{"3", `{"image":"b","tags":{"k":"1"}}`, true},
		{"3", `{"image":"b","tags":{"k":"1"}}`, false},
		{"4", `{"image":"b","labels":{"l":"1"}}`, false},
	} {
		_, err := classes.Prepare(class(tc.version, tc.spec), with(schema, able))
		require.NoError(t, err)
		assert.Equal(t, tc.want, changed(), tc.version)
	}
	_, err = classes.Prepare(class("5", `{`), with(schema, able))
	require.Error(t, err)
	_, again2 := classes.Prepare(class("5", `{`), with(schema, able))
	assert.Equal(t, err, again2)
	other, err := classes.Prepare(class("5", `{"image":""}`), machineupdate.Driver{Schema: schema})
	require.NoError(t, err, "another driver is another question")
	require.NotNil(t, other)
	allHot, err := hotupdate.SchemaOf[spec](hotupdate.WithTag("image", "true"))
	require.NoError(t, err)
	_, err = classes.Prepare(class("6", `{"image":"a"}`), with(schema, able))
	require.NoError(t, err)
	other, err = classes.Prepare(class("6", `{"image":"a"}`), with(allHot, able))
	require.NoError(t, err)
	assert.Equal(t, machineupdate.HotSpec(`{"image":"a"}`), other.Hot(), "another Schema is another question")
	assert.False(t, changed(), "and no change of the class")
}

// TestNonHotChangeIsReported: the report has the object of the caller, and may ask for the class.
func TestNonHotChangeIsReported(t *testing.T) {
	var classes machineupdate.Classes
	var told []string
	driver := with(schemaOf[spec](t), able)
	prepare := func(version, providerSpec string) {
		class := machineupdate.MachineClass{
			Object: &metav1.ObjectMeta{Name: "c", UID: "u", ResourceVersion: version}, ProviderSpec: []byte(providerSpec),
		}
		_, err := classes.Prepare(class, driver)
		require.NoError(t, err)
	}
	prepare("1", `{"image":"a"}`)
	prepare("2", `{"image":"b"}`) // nobody is told
	classes.OnNonHotChange = func(class metav1.Object) {
		told = append(told, class.GetResourceVersion())
		_, err := classes.Prepare(machineupdate.MachineClass{Object: class, ProviderSpec: []byte(`not looked at`)}, driver)
		require.NoError(t, err)
	}
	prepare("3", `{"image":"c"}`)
	prepare("3", `{"image":"c"}`)
	assert.Equal(t, []string{"3"}, told)
}

func TestClassesConcurrently(t *testing.T) {
	var classes machineupdate.Classes
	var wait sync.WaitGroup
	schema := schemaOf[spec](t)
	prepared := make([]*machineupdate.PreparedClass, 32)
	for i := range prepared {
		wait.Go(func() {
			prepared[i], _ = classes.Prepare(
				machineupdate.MachineClass{
					Object: &metav1.ObjectMeta{UID: "u", ResourceVersion: "1"}, ProviderSpec: []byte(`{"image":""}`),
				},
				with(schema, able),
			)
		})
	}
	wait.Wait()
	for _, p := range prepared {
		assert.Same(t, prepared[0], p)
	}
}

// TestLargeHotPart: a class that is too large for a record is refused. The error has its size and none of its values.
func TestLargeHotPart(t *testing.T) {
	for _, tc := range []struct {
		name      string
		n, length int // of the infrastructure tags
		ok        bool
	}{
		{"50 tags of the largest size on three kinds", 150, 256 + 120, true},
		{"too long together", 200, 600, false},
		{"one that is too long", 1, 11 << 10, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := machineupdate.Prepare(
				machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "c"}, ProviderSpec: []byte(wide(t, tc.n, tc.length, 0))},
				schemaOf[spec](t), able,
			)
			if tc.ok {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, "large-hot-part", codeOf(err))
			assert.NotContains(t, err.Error(), "vvv")
		})
	}
}

// TestNothingShowsSecrets: neither the values of a spec nor those of a secret are printed, whatever the verb.
func TestNothingShowsSecrets(t *testing.T) {
	class := classOf(t, `{"tags":{"k":"hunter2"}}`)
	d := machineupdate.DecideAt(
		start, machineupdate.Observed{Machine: machine(""), Class: class, Secret: map[string][]byte{"key": []byte("hunter2")}},
	)
	request := d.Pass.Request()
	require.Equal(t, []byte("hunter2"), request.Secret["key"])
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{request, request.Parts[0].Desired, request.Parts[0].Attempted, d.Pass.Marker()} {
			text := fmt.Sprintf(verb, value)
			assert.NotContains(t, text, "hunter2")
			assert.NotContains(t, text, fmt.Sprintf("%x", "hunter2"))
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{
			&machineupdate.PartialError{
				Done: make([]machineupdate.ResourceID, 1), NotDone: []machineupdate.ResourceID{{"disk", "a"}, {"disk", "b"}},
			},
			"updated 1 of 3 resources, but not disk a, disk b",
		},
		{
			&machineupdate.PartialError{NotDone: []machineupdate.ResourceID{{"vm", "a"}}, Err: errors.New("throttled")},
			"updated 0 of 1 resources, but not vm a: throttled",
		},
	} {
		assert.EqualError(t, tc.err, tc.want)
	}
}

// TestMembersInAnotherCase: a driver that reads by encoding/json takes them for the fields that they differ from in
// case only, and for one with a codec of Kubernetes they are mistakes. Words of the Schema's JSON, and fields of other
// objects, are no such fields.
func TestMembersInAnotherCase(t *testing.T) {
	type volume struct {
		Size int `json:"size,omitempty"`
	}
	type cased struct {
		Name    string            `json:"Name,omitempty"`
		Volumes []volume          `json:"volumes,omitempty"`
		Both    string            `json:"both,omitempty"`
		Other   string            `json:"bOth,omitempty"`
		Tags    map[string]string `json:"tags,omitempty"    hotupdatable:"true"`
	}
	const none = machineupdate.HotSpec("{}")
	const one = machineupdate.HotSpec(`{"tags":{"a":"1"}}`)
	for providerSpec, want := range map[string]struct{ folded, exact machineupdate.HotSpec }{
		`{"name":"a","TAGS":{"a":"1"}}`:              {one, ""},
		`{"tags":{"b":"2"},"Tags":{"a":"1"}}`:        {`{"tags":{"a":"1","b":"2"}}`, ""},
		`{"volumes":[{},{"Size":1}]}`:                {none, ""},
		`{"new":1,"BOTH":"a"}`:                       {"", ""}, // which field is meant?
		`{"both":"a","bOth":"a","tags":{"a":"1"}}`:   {one, one},
		`{"Kind":"a","Class":1,"tags":{"a":"1"}}`:    {one, one},
		`{"Fields":[],"Fingerprint":"","tags":{}}`:   {none, none},
		`{"Size":1,"volumes":[],"tag":{"a":"1"}}`:    {none, none},
		`{"tags":{"Name":"a"}}`:                      {`{"tags":{"Name":"a"}}`, `{"tags":{"Name":"a"}}`},
		`{"Tags":{"a":"1"},"Name":"b","new":[null]}`: {one, ""},
	} {
		for isExact, hot := range map[bool]machineupdate.HotSpec{false: want.folded, true: want.exact} {
			driver := with(schemaOf[cased](t), able)
			driver.CaseSensitive = isExact
			p, err := new(machineupdate.Classes).Prepare(machineupdate.MachineClass{ProviderSpec: []byte(providerSpec)}, driver)
			if hot == "" {
				assert.Equal(t, "unusable-class", codeOf(err), providerSpec)
				continue
			}
			require.NoError(t, err, providerSpec)
			assert.Equal(t, hot, p.Hot(), providerSpec)
			described, err := driver.Describe()
			require.NoError(t, err)
			p, err = new(machineupdate.Classes).PrepareDescribed(machineupdate.MachineClass{ProviderSpec: []byte(providerSpec)}, described)
			require.NoError(t, err, providerSpec)
			assert.Equal(t, hot, p.Hot(), "described: %s", providerSpec)
		}
	}
}
