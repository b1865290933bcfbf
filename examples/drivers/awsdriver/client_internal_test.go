package awsdriver

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestOneClient: updates with the same credentials and region share a client, although the secrets
// of their classes have different user data.
func TestOneClient(t *testing.T) {
	a := newAccess(Config{})
	connect := func(region string, more map[string][]byte) *session {
		secret := map[string][]byte{AccessKeyID: []byte("key"), SecretAccessKey: []byte("secret")}
		maps.Copy(secret, more)
		request := &machineupdate.UpdateMachineRequest{ProviderID: "aws:///" + region + "/i-1", Secret: secret}
		s, err := a.connect(t.Context(), request, &ProviderSpec{Region: region})
		require.NoError(t, err)
		return s
	}
	first := connect("eu-west-1", nil)
	assert.Same(t, first.client, connect("eu-west-1", nil).client)
	assert.Same(t, first.client, connect("eu-west-1", map[string][]byte{"userData": []byte("#!/bin/sh")}).client)
	assert.NotSame(t, first.client, connect("eu-west-2", nil).client)
	assert.NotSame(t, first.client, connect("eu-west-1", map[string][]byte{SecretAccessKey: []byte("rotated")}).client)
}
