package drivertest_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/tags"
)

// inCloud runs a test in a cloud whose driver does nothing more.
func inCloud(t *testing.T, cloud tags.Cloud, test func(ctx context.Context, c *drivertest.FakeCloud)) {
	t.Helper()
	var once sync.Once
	drivertest.Check(&recorder{TB: t}, setupOf(t, cloud), func(fake *drivertest.FakeCloud) (*wrapped, error) {
		once.Do(func() { test(t.Context(), fake) })
		return nil, assert.AnError
	}, states(cloud)...)
}

// live returns the infrastructure tags of the VM.
func live(t *testing.T, c *drivertest.FakeCloud) map[string]string {
	t.Helper()
	all, err := c.Resources(t.Context())
	require.NoError(t, err)
	for _, r := range all {
		if r.ID == "i-1" {
			return r.Tags
		}
	}
	return nil
}

// TestCalls: what one call takes, and what it does.
func TestCalls(t *testing.T) {
	type list = []tags.Tag
	both := []string{"i-1", "vol-1"}
	for _, tc := range []struct {
		name   string
		cloud  tags.Cloud
		ids    []string
		set    list
		remove list
		want   map[string]string // of i-1; nil if the call is refused
	}{
		{
			"set on two", tags.AWS, both,
			list{{Key: "b", Value: "1"}},
			nil,
			map[string]string{"cluster": "c", "a": "1", "drivertest": "theirs", "b": "1"},
		},
		{"one resource for each call", tags.Azure, both, list{{Key: "b", Value: "1"}}, nil, nil},
		{"one key for each removal", tags.OpenStack, []string{"i-1"}, nil, list{{Key: "a"}, {Key: "cluster"}}, nil},
		{"set and remove", tags.AWS, both, list{{Key: "b"}}, list{{Key: "a"}}, nil},
		{"nothing", tags.AWS, both, nil, nil, nil},
		{"twice", tags.AWS, both, list{{Key: "b"}, {Key: "b"}}, nil, nil},
		{"no such resource", tags.AWS, []string{"i-2"}, list{{Key: "b"}}, nil, nil},
		{"empty key", tags.AWS, both, list{{Value: "b"}}, nil, nil},
		{
			"spelled otherwise", tags.Azure,
			[]string{"i-1"},
			list{{Key: "A", Value: "2"}},
			nil,
			map[string]string{"cluster": "c", "a": "2", "drivertest": "theirs"},
		},
		{
			"spelled otherwise, case counts", tags.AWS, both,
			list{{Key: "A", Value: "2"}},
			nil,
			map[string]string{"cluster": "c", "a": "1", "drivertest": "theirs", "A": "2"},
		},
		{"condition holds", tags.AWS, both, nil, list{{Key: "a", Value: "1"}}, map[string]string{"cluster": "c", "drivertest": "theirs"}},
		{
			"condition fails", tags.AWS, both, nil,
			list{{Key: "a", Value: "2"}},
			map[string]string{"cluster": "c", "a": "1", "drivertest": "theirs"},
		},
		{"no condition", tags.AWS, both, nil, list{{Key: "a"}}, map[string]string{"cluster": "c", "drivertest": "theirs"}},
		{
			"no conditions on the cloud", tags.AliCloud, both, nil,
			list{{Key: "a", Value: "2"}},
			map[string]string{"cluster": "c", "drivertest": "theirs"},
		},
		{
			"all spellings", tags.OpenStack,
			[]string{"i-1"},
			nil,
			list{{Key: "A"}},
			map[string]string{"cluster": "c", "drivertest": "theirs"},
		},
	} {
		inCloud(t, tc.cloud, func(ctx context.Context, c *drivertest.FakeCloud) {
			err := c.Change(ctx, tc.ids, tc.set, tc.remove)
			if tc.want == nil {
				require.Error(t, err, tc.name)
				return
			}
			require.NoError(t, err, tc.name)
			assert.Equal(t, tc.want, live(t, c), tc.name)
		})
	}
}

// TestMembers: one call adds or removes one member, and says if there is nothing to do. A read shows a copy.
func TestMembers(t *testing.T) {
	inCloud(t, tags.AWS, func(ctx context.Context, c *drivertest.FakeCloud) {
		groups := func() []string {
			all, err := c.Resources(ctx)
			require.NoError(t, err)
			return all[0].Sets["groups"]
		}
		before := groups()
		assert.Equal(t, []string{"drivertest", "nodes", "old"}, before)
		require.NoError(t, c.AddMember(ctx, tags.VM, "i-1", "groups", "a"))
		require.ErrorIs(t, c.AddMember(ctx, tags.VM, "i-1", "groups", "a"), drivertest.ErrMemberExists)
		assert.Equal(t, []string{"a", "drivertest", "nodes", "old"}, groups())
		require.NoError(t, c.RemoveMember(ctx, tags.VM, "i-1", "groups", "nodes"))
		require.ErrorIs(t, c.RemoveMember(ctx, tags.VM, "i-1", "groups", "nodes"), drivertest.ErrNoMember)
		assert.Equal(t, []string{"a", "drivertest", "old"}, groups())
		assert.Equal(t, []string{"drivertest", "nodes", "old"}, before)
		require.Error(t, c.AddMember(ctx, tags.Disk, "i-1", "groups", "b"), "no such disk")
		require.NoError(t, c.AddMember(ctx, tags.VM, "i-1", "of no state", "b"))
		require.ErrorIs(t, c.RemoveMember(ctx, tags.VM, "i-1", "none", "b"), drivertest.ErrNoMember)
	})
}

// TestWritesWithoutVersion: a cloud without conditions takes any write of a whole set, within its rules.
func TestWritesWithoutVersion(t *testing.T) {
	inCloud(t, tags.OpenStack, func(ctx context.Context, c *drivertest.FakeCloud) {
		require.NoError(t, c.Change(ctx, []string{"i-1"}, []tags.Tag{{Key: "b", Value: "2"}}, nil))
		require.NoError(t, c.Replace(ctx, tags.VM, "i-1", "", map[string]string{"b": "1"}))
		assert.Equal(t, map[string]string{"b": "1"}, live(t, c))
		require.Error(t, c.Replace(ctx, tags.VM, "i-1", "", map[string]string{"b/c": "1"}))
		require.Error(t, c.Replace(ctx, tags.Disk, "i-1", "", nil), "no such disk")
	})
}

// TestCloudEndsWithTheContext, as clients do.
func TestCloudEndsWithTheContext(t *testing.T) {
	inCloud(t, tags.AWS, func(_ context.Context, c *drivertest.FakeCloud) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := c.Resources(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, c.Change(ctx, []string{"i-1"}, nil, []tags.Tag{{Key: "a"}}), context.Canceled)
		require.ErrorIs(t, c.Wait(ctx, time.Second), context.Canceled)
		assert.Contains(t, live(t, c), "a")
	})
}

// TestConcurrentReads: a discovery may read several kinds at once.
func TestConcurrentReads(t *testing.T) {
	inCloud(t, tags.AWS, func(ctx context.Context, c *drivertest.FakeCloud) {
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				_, err := c.Resources(ctx)
				assert.NoError(t, err)
				assert.NoError(t, c.Change(ctx, []string{"i-1"}, []tags.Tag{{Key: "b", Value: "1"}}, nil))
				assert.NoError(t, c.Wait(ctx, time.Second))
			})
		}
		group.Wait()
	})
}
