package hotupdatetest_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
)

// secrets breaks several guarantees, and its values must not be shown.
type secrets struct {
	Token   lossy             `json:"token"             hotupdatable:"false,sensitive"`
	Default *string           `json:"default,omitempty" hotupdatable:"false,sensitive"`
	Secrets map[string]string `json:"secrets,omitempty" hotupdatable:"false,sensitive=keys"`
	Zones   []string          `json:"zones,omitempty"`
}

func (s *secrets) DeepCopy() *secrets {
	copied := *s
	return &copied
}

// TestSecretsAreNotShown: no report holds a sensitive value or key, while paths and other values are there.
func TestSecretsAreNotShown(t *testing.T) {
	r := record(t, func(t rapid.TB) {
		hotupdatetest.Check[secrets](
			t,
			hotupdatetest.WithValues("token", lossy{"hunter2", "hunter2"}),
			hotupdatetest.WithValues("default", "hunter2", "hunter2!"),
			hotupdatetest.WithValues("secrets[]", "hunter2"),
			hotupdatetest.WithValues("secrets", "hunter2"),
			hotupdatetest.WithValues("zones[]", "shown"),
			hotupdatetest.WithDefaulter(func(s *secrets) {
				text := "hunter2"
				s.Default = &text
				s.Secrets = map[string]string{"hunter2": text}
				s.Zones = []string{"shown"}
			}),
		)
	})
	text := r.text()
	for _, want := range []string{"MarshalersReadWhatTheyWrite", "DefaultsKeepTheHash", "CopiesShareNoMemory", "(sensitive)", "token"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "hunter2") {
		t.Errorf("a secret is shown:\n%s", text)
	}
}

// TestOptionsThatDoNotFit: an option for another type or path fails the test before anything is tried.
func TestOptionsThatDoNotFit(t *testing.T) {
	for _, tc := range []struct {
		name   string
		run    func(t rapid.TB)
		want   string
		reason string
	}{
		{"no struct", check[string], "is not a struct of fields", "a Schema needs fields"},
		{"bad tag", check[struct {
			A string `json:"a" hotupdatable:"ture"`
		}], "ture", "the compiler's own error"},
		{"unknown path", withOptions(hotupdatetest.WithValues("volume", 1)), `"volume" leads to no leaf and no map`, "a typo"},
		{"malformed path", withOptions(hotupdatetest.WithValues("zones[", 1)), `"zones[" leads to no leaf and no map`, "a typo"},
		{
			"path of a list", withOptions(hotupdatetest.WithValues("zones", "a")), `"zones" leads to no leaf and no map`,
			"the elements have values",
		},
		{
			"wrong value", withOptions(hotupdatetest.WithValues("zones[]", "a", 5)), `value 2 for "zones[]" has type int, and must have type string`,
			"an int is no string",
		},
		{
			"wrong secret", withOptions(hotupdatetest.WithValues("default", 5)), `value 1 for "default" has type int, and must have type string`,
			"a secret is not shown here either",
		},
		{
			"other defaulter", withOptions(hotupdatetest.WithDefaulter(func(*shortCopy) {})),
			"WithDefaulter: takes a *hotupdatetest_test.shortCopy", "a function for another type",
		},
		{"no defaulter", withOptions(hotupdatetest.WithDefaulter[secrets](nil)), "WithDefaulter: is nil", "nothing would be tried"},
		{
			"no schema", withOptions(hotupdatetest.WithSchema(nil)), "WithSchema: is nil",
			"an error that was not looked at; the overrides would be lost",
		},
		{
			"no values", withOptions(hotupdatetest.WithValues("zones[]")), `WithValues: gives no value for "zones[]"`,
			"nothing would be tried",
		},
		{"no keys", func(t rapid.TB) {
			hotupdatetest.Check[sharedCopy](t, hotupdatetest.WithValues("tags"))
		}, `WithValues: gives no value for "tags"`, "nothing would be tried"},
		{"wrong key", func(t rapid.TB) {
			hotupdatetest.Check[struct {
				Ports map[int32]string `json:"ports"`
			}](t, hotupdatetest.WithValues("ports", 1, "http"))
		}, `WithValues: value 2 for "ports" has type string, and must have type int32`, "another key would be taken silently"},
		{"other schema", func(t rapid.TB) {
			schema, _ := hotupdate.SchemaOf[shortCopy]()
			hotupdatetest.Check[secrets](t, hotupdatetest.WithSchema(schema))
		}, "WithSchema: has the Schema of another type", "a Schema for another type"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := record(t, tc.run)
			if len(r.errors) != 1 || !r.ended || !strings.Contains(r.text(), tc.want) {
				t.Errorf("%s: want one error with %q, got %d:\n%s", tc.reason, tc.want, len(r.errors), r.text())
			}
		})
	}
}

func withOptions(options ...hotupdatetest.Option) func(t rapid.TB) {
	return func(t rapid.TB) { hotupdatetest.Check[secrets](t, options...) }
}

// TestReportsAreSmall: a failure is shrunk to the field that matters.
func TestReportsAreSmall(t *testing.T) {
	r := record(t, func(t rapid.TB) {
		hotupdatetest.Check[defaulted](t, hotupdatetest.WithDefaulter(undeclaredDefaults))
	})
	want := "hotupdatetest: hotupdatetest_test.defaulted: type: the defaulting function changes the hash; " +
		"if it fills in the same scalar wherever the field is not set, declare that by the option default of the field's struct tag; " +
		"if not, let the code that reads the field apply the default, or hash what was there before defaulting and leave WithDefaulter out" +
		"\nguarantee: DefaultsKeepTheHash\nconfiguration:\n  {}\nTo reproduce, specify -run=\"TestReportsAreSmall/DefaultsKeepTheHash\" -rapid.seed="
	if !strings.HasPrefix(r.text(), want) || !strings.Contains(r.text(), "give those that it can have with WithValues") {
		t.Errorf("want %s\ngot %s", want, r.text())
	}
}
