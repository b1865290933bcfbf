package machineupdate

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestObservationIsCopiedWhole: a field that a decision does not see would be a wrong decision.
func TestObservationIsCopiedWhole(t *testing.T) {
	machine := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "m"}}
	observed := Observation[*metav1.PartialObjectMetadata]{
		Machine: machine, ProviderID: "p", Phase: "Running", Class: &Prepared{}, ClassError: errors.New("class"),
		Former:   &Prepared{hot: "{}"},
		Versions: func(context.Context) ([]HotSpec, error) { return nil, nil },
		Secret:   map[string][]byte{"k": nil}, Settings: Settings{VerifyPeriod: time.Hour},
	}
	now := time.Unix(1, 0)
	own := &lane{name: "own"}
	seen := observed.at(now, own)
	require.Same(t, own, seen.lane)
	require.Equal(t, now, seen.now)
	from := reflect.ValueOf(observed)
	to := reflect.ValueOf(seen.Observation)
	for i := range from.NumField() {
		name := from.Type().Field(i).Name
		require.False(t, from.Field(i).IsZero(), "the test does not fill %s", name)
		require.False(t, to.Field(i).IsZero(), "%s is lost", name)
		if from.Field(i).Kind() != reflect.Func {
			require.Equal(t, from.Field(i).Interface(), to.Field(i).Interface(), name)
		}
	}
}
