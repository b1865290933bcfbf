package machineupdate_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestDescription: a description prepares a class as Schema and Driver do.
func TestDescription(t *testing.T) {
	driver := volumes
	driver.Revision = "r"
	driver.Epoch = "2"
	driver.ReadsFirst = true
	schema := schemaOf[laneSpec](t)
	driver.Schema = schema
	text, err := driver.Describe()
	require.NoError(t, err)
	class := machineupdate.MachineClass{
		Object:       &metav1.ObjectMeta{Name: "c", UID: "u", ResourceVersion: "1"},
		ProviderSpec: []byte(`{"tags":{"k":"1"}}`),
	}
	want, err := machineupdate.Prepare(class, schema, driver)
	require.NoError(t, err)
	var classes machineupdate.Classes
	got, err := classes.PrepareDescribed(class, text)
	require.NoError(t, err)
	assert.Equal(t, []any{want.Hot(), want.Schema()}, []any{got.Hot(), got.Schema()})
	again, err := classes.PrepareDescribed(class, append([]byte{}, text...))
	require.NoError(t, err)
	assert.Same(t, got, again)

	other := machineupdate.Driver{Schema: schema, Kinds: []string{"vm"}}
	text, err = other.Describe()
	require.NoError(t, err)
	changed, err := classes.PrepareDescribed(class, text)
	require.NoError(t, err)
	assert.NotEqual(t, got.Schema(), changed.Schema(), "another driver")

	for _, unfit := range []machineupdate.Driver{
		{}, {Schema: &hotupdate.Schema{}}, {Schema: schema, Lanes: []machineupdate.Lane{{Name: "A"}}},
	} {
		_, err = unfit.Describe()
		require.Error(t, err)
	}
	for _, text := range []string{"", "{", "{}", `{"schema":null}`, `{"schema":{}}`} {
		_, err := classes.PrepareDescribed(class, []byte(text))
		assert.Equal(t, "unusable-description", codeOf(err), text)
	}
}

// TestRequestAsBytes: a driver interface that passes on the objects, BeforeWrite, and the rest as bytes loses nothing.
func TestRequestAsBytes(t *testing.T) {
	b := newBed(t, laneClass(t, volumes, `{"tags":{"k":"1"},"volume":{"iops":3000}}`))
	b.step(0)
	require.Len(t, b.asked, 2)
	for _, sent := range b.asked {
		sent.NotBefore = start.Add(time.Hour)
		sent.ReadOnly = true
		sent.Parts[0].Attempted = []machineupdate.HotSpec{"{}", hotTwo}
		update, err := json.Marshal(sent)
		require.NoError(t, err)
		got := &machineupdate.UpdateMachineRequest{Object: sent.Object, Class: sent.Class, Secret: sent.Secret}
		require.NoError(t, json.Unmarshal(update, got))
		want := *sent
		want.BeforeWrite = nil
		assert.Equal(t, &want, got)
	}
}
