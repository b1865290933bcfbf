package crd_test

import (
	"testing"

	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

func TestMain(m *testing.M) { fixedseed.Run(m) }
