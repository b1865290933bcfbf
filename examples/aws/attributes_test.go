package aws_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// calls are the calls of a driver whose machine has a VM, an interface and two volumes of type gp3.
type calls struct{ made []string }

func (c *calls) resources() []driver.Resource {
	volume := map[string]driver.Reading{"iops": driver.Settled("3000"), "throughput": driver.Settled("125")}
	return []driver.Resource{
		{
			Kind: tags.VM, ID: "i-1",
			Attributes: map[string]driver.Reading{"httpTokens": driver.Settled("optional"), "httpPutResponseHopLimit": driver.Settled("1")},
		},
		{Kind: tags.Network, ID: "eni-1", Attributes: map[string]driver.Reading{"srcAndDstChecksEnabled": driver.Settled("true")}},
		{Kind: tags.Disk, ID: "vol-1", Name: "/dev/sda1", Attributes: volume},
		{Kind: tags.Disk, ID: "vol-2", Name: "/dev/sdf", Attributes: volume},
		{Kind: tags.Disk, ID: "vol-3", Attributes: map[string]driver.Reading{}}, // of another type: it has no name
	}
}

func modify(call string) aws.Modify[*calls] {
	return func(_ context.Context, c *calls, r *driver.Resource, values map[string]string) error {
		c.made = append(c.made, fmt.Sprint(call, " ", r.ID, " ", values))
		return nil
	}
}

// TestAttributes goes from the hot part of a provider spec to EC2's calls, lane by lane.
func TestAttributes(t *testing.T) {
	schema, err := aws.ProviderSpecSchema()
	require.NoError(t, err)
	c := &calls{}
	kit, err := driver.New(driver.Definition[aws.ProviderSpec, *calls]{
		Schema: schema,
		Connect: func(context.Context, *machineupdate.UpdateMachineRequest, *aws.ProviderSpec) (*calls, error) {
			return c, nil
		},
		Resources: func(_ context.Context, c *calls) ([]driver.Resource, error) { return c.resources(), nil },
		Groups:    aws.Groups(modify("ModifyVolume"), modify("ModifyNetworkInterfaceAttribute"), modify("ModifyInstanceMetadataOptions")),
		Lanes:     aws.Lanes(),
	})
	require.NoError(t, err)
	said := kit.Driver()
	assert.Equal(t, []string{"vm", "network"}, said.Kinds)
	assert.Equal(t, []string{"disk"}, said.Lanes[0].Kinds)

	spec := aws.ProviderSpec{
		BlockDevices: []aws.BlockDevice{
			{DeviceName: "/dev/sda1", EBS: aws.EBS{IOPS: new(int32(4000))}},
			{DeviceName: "/dev/sdf", EBS: aws.EBS{Throughput: new(int32(1000))}},
		},
		InstanceMetadataOptions: &aws.ProviderMetadataOptions{MetadataOptions: aws.MetadataOptions{HTTPTokens: new("required")}},
		SrcAndDstChecksEnabled:  new(false),
	}
	for lane, want := range map[string][]string{
		"": {
			"ModifyNetworkInterfaceAttribute eni-1 map[srcAndDstChecksEnabled:false]",
			"ModifyInstanceMetadataOptions i-1 map[httpTokens:required]",
		},
		"volume": {"ModifyVolume vol-1 map[iops:4000 throughput:125]"},
	} {
		c.made = nil
		err := kit.UpdateMachine(t.Context(), request(t, schema, lane, &spec))
		if lane == "volume" {
			require.ErrorContains(
				t, err, "quarter of iops", "vol-2 would have 1000 MiB/s with 3000 IOPS, and nothing is called for vol-1 either",
			)
			assert.Empty(t, c.made)
			spec.BlockDevices[1].EBS = aws.EBS{}
			err = kit.UpdateMachine(t.Context(), request(t, schema, lane, &spec))
			require.ErrorIs(t, err, machineupdate.ErrPending)
		} else {
			require.NoError(t, err)
		}
		assert.Equal(t, want, c.made)
	}
}

// request returns a request for the hot part of a spec without a record.
func request(t *testing.T, schema *hotupdate.Schema, lane string, spec *aws.ProviderSpec) *machineupdate.UpdateMachineRequest {
	t.Helper()
	raw, err := json.Marshal(spec)
	require.NoError(t, err)
	_, hot, err := hotupdate.Split(schema, spec)
	require.NoError(t, err)
	part, err := json.Marshal(hot)
	require.NoError(t, err)
	r := &machineupdate.UpdateMachineRequest{
		Machine: "m", Lane: lane, Class: machineupdate.MachineClass{ProviderSpec: raw},
		BeforeWrite: func(context.Context) error { return nil },
	}
	for _, kind := range map[string][]string{"": {"vm", "network"}, "volume": {"disk"}}[lane] {
		r.Parts = append(r.Parts, machineupdate.Part{Kind: kind, Desired: machineupdate.HotSpec(part)})
	}
	return r
}

// TestValidateVolume: admission has the driver's rules.
func TestValidateVolume(t *testing.T) {
	for _, tc := range []struct {
		name    string
		updated *aws.Volume
		want    []string
	}{
		{"nothing", nil, nil},
		{"more", &aws.Volume{IOPS: new(int32(4000)), Throughput: new(int32(1000))}, nil},
		{"throughput without iops", &aws.Volume{Throughput: new(int32(1000))}, []string{"volume.throughput"}},
		{"below the baseline", &aws.Volume{IOPS: new(int32(100)), Throughput: new(int32(1))}, []string{"volume.iops", "volume.throughput"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, problem := range aws.ValidateVolume(
				nil, hotupdate.AutoRollingUpdate, &aws.Volume{IOPS: new(int32(3000))}, tc.updated, field.NewPath("volume"),
			) {
				got = append(got, problem.Field)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

// TestValidateOtherVolumes: a change that the driver does not apply is refused if machines are not replaced.
func TestValidateOtherVolumes(t *testing.T) {
	old := &aws.Volume{IOPS: new(int32(100))}
	updated := &aws.Volume{IOPS: new(int32(200))}
	for strategy, want := range map[hotupdate.Strategy]int{
		hotupdate.AutoRollingUpdate: 0, hotupdate.AutoInPlaceUpdate: 1, hotupdate.ManualInPlaceUpdate: 1,
	} {
		assert.Len(t, aws.ValidateVolume(new("io2"), strategy, old, updated, field.NewPath("volume")), want, strategy)
		assert.Empty(t, aws.ValidateVolume(new("io2"), strategy, old, old, field.NewPath("volume")), strategy)
		assert.Len(
			t, aws.ValidateVolume(new("gp3"), strategy, old, updated, field.NewPath("volume")), 2,
			"iops below the baseline, and below four times the throughput: %s", strategy,
		)
	}
}
