package fleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// key is the infrastructure tag that changes.
const key = "cost-centre"

// value is the value of a class, before or after the change.
func value(class int, isChanged bool) string { return fmt.Sprint(class, isChanged) }

// prepare makes the kit, the classes, and machines with settled records.
func (r *run) prepare() error {
	s, err := hotupdate.SchemaOf[spec]()
	if err != nil {
		return err
	}
	if r.kit, err = r.newKit(s); err != nil {
		return err
	}
	var versions machineupdate.Classes
	for i := range 2 * r.Classes { // first as they were, then as they are
		all := map[string]string{key: value(i%r.Classes, i >= r.Classes)}
		raw, err := json.Marshal(spec{Tags: &tags.Tags{VM: all, Network: all, Disk: all}})
		if err != nil {
			return err
		}
		number := strconv.Itoa(i)
		object := &metav1.ObjectMeta{Name: "class-" + number, UID: types.UID(number), ResourceVersion: "1"}
		class, err := versions.Prepare(machineupdate.MachineClass{Object: object, ProviderSpec: raw}, r.kit.Driver())
		if err != nil {
			return err
		}
		r.classes = append(r.classes, class)
	}
	r.executor = machineupdate.Executor[*machine]{
		UpdateMachine: r.kit.UpdateMachine, Now: time.Now, Count: r.count,
		Patch: func(
			ctx context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string,
		) (*machine, error) {
			if err := r.updates.write(ctx, r.Latency.Write); err != nil {
				return nil, err
			}
			return r.patch(name, data)
		},
	}
	if r.InFlight > 0 { // an update begins no faster than the client makes its two writes
		r.executor.Limiter = &machineupdate.Limiter{Every: 2 * r.updates.every, Burst: 10, InFlight: r.InFlight}
	}
	return r.settle()
}

// settle records that the machines have what their classes wanted before the change.
func (r *run) settle() error {
	var at time.Time
	past := machineupdate.Executor[*machine]{
		UpdateMachine: func(context.Context, *machineupdate.UpdateMachineRequest) error { return nil },
		Now:           func() time.Time { return at },
		Patch: func(
			_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string,
		) (*machine, error) {
			return r.patch(name, data)
		},
	}
	for i := range r.Machines {
		name := fmt.Sprintf("%05d", i)
		r.machines = append(r.machines, &machine{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "1"}})
		for _, resource := range resourcesOf(name) {
			r.cloud.live[resource.ID] = map[string]string{key: value(i%r.Classes, false)}
		}
		for _, ago := range []time.Duration{2 * time.Hour, time.Hour} {
			at = r.began.Add(-ago)
			m, observed := r.observe(i, r.classes[i%r.Classes])
			if result := past.Reconcile(context.Background(), m, observed); result.Err != nil {
				return result.Err
			}
		}
	}
	return nil
}

// patch is the API server's part of a write.
func (r *run) patch(name string, data []byte) (*machine, error) {
	i, err := strconv.Atoi(name)
	if err != nil {
		return nil, err
	}
	var sent struct {
		Metadata struct {
			ResourceVersion string             `json:"resourceVersion"`
			Annotations     map[string]*string `json:"annotations"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(data, &sent); err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	written := r.machines[i].DeepCopy()
	if sent.Metadata.ResourceVersion != written.ResourceVersion {
		return nil, apierrors.NewConflict(schema.GroupResource{Resource: "machines"}, name, nil)
	}
	written.ResourceVersion += "0" // versions differ
	for name, value := range sent.Metadata.Annotations {
		metav1.SetMetaDataAnnotation(&written.ObjectMeta, name, *value)
	}
	r.machines[i] = written
	return written, nil
}

// count notes when the last machine was updated, and when the last one was confirmed.
func (r *run) count(_ string, _ machineupdate.Reason, ending string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.endings[ending]++
	since := time.Since(r.began)
	switch {
	case ending == "Updated" && r.endings[ending] == r.Machines:
		r.result.Updated = since
	case ending == "Confirmed" && r.endings[ending] == r.Machines:
		r.result.Confirmed = since
		close(r.settled)
	}
}

// newKit describes EC2 as the example for AWS does.
func (r *run) newKit(s *hotupdate.Schema) (*driver.Kit[spec, *session], error) {
	rules, err := tags.AWS.Rules(tags.VM)
	if err != nil {
		return nil, err
	}
	r.cloud.rules = rules
	definition := driver.Definition[spec, *session]{
		Schema: s, Resources: readOne,
		Connect: func(_ context.Context, request *machineupdate.UpdateMachineRequest, _ *spec) (*session, error) {
			return &session{r.cloud, request.Machine}, nil
		},
		Tags: []driver.Tagging[spec, *session]{{
			Kinds: tags.Kinds(), Rules: rules, Set: set, Remove: remove,
			Project: func(wanted *spec, kind tags.Kind) map[string]string {
				return rules.Effective(nil, wanted.Tags.Of(kind), nil)
			},
		}},
	}
	if !r.Alone {
		definition.Sharing = driver.Sharing[*session]{
			Key: func(*session) []string { return nil },
			Buckets: []driver.Bucket{
				{Name: "reads", Burst: 100, Refill: 20, Requests: map[string]int{"Resources": 1}}, // of each action
				{Name: createTags, Burst: 100, Refill: 10, Requests: map[string]int{"Set": 1}},
				{Name: deleteTags, Burst: 100, Refill: 10, Requests: map[string]int{"Remove": 1}},
			},
			Resources: read, MaxMachines: 195,
		}
	}
	return driver.New(definition)
}
