package hashstructure_test

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hash/hashstructure"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// sums are both hashes of one configuration.
type sums struct {
	here      uint64
	canonical hotupdate.Sum
}

// hashBoth hashes a configuration with this package and with package hash.
func hashBoth[T any](config *T, options hashstructure.Options) sums {
	schema, err := hotupdate.SchemaOf[T]()
	if err != nil {
		fmt.Println(err)
		return sums{}
	}
	here, err := hashstructure.Of(schema, config, options)
	if problem, ok := errors.AsType[*fault.Error](err); ok {
		fmt.Println(problem.Code, problem.Path)
	}
	canonical, err := schema.Hash(config)
	if err != nil {
		fmt.Println(err)
	}
	return sums{here, canonical}
}

// compare prints whether two configurations have the same hash here and in package hash.
func compare(what string, a, b sums) {
	word := map[bool]string{true: "same", false: "different"}
	fmt.Printf("%s: here %s, package hash %s\n", what, word[a.here == b.here], word[a.canonical == b.canonical])
}

// Sets whose elements have the same beginnings cancel: the sums of FNV-1 of two texts that differ in the last byte are XORed, and all
// but the last byte is gone.
func ExampleOf_sets() {
	type pool struct {
		Zones []string `json:"zones" hotupdatable:"false,set" hash:"set"`
	}
	of := func(zones ...string) sums { return hashBoth(&pool{zones}, hashstructure.Options{}) }
	compare("{us-east-1a, us-east-1b}, {eu-west-1a, eu-west-1b}", of("us-east-1a", "us-east-1b"), of("eu-west-1a", "eu-west-1b"))

	here := map[uint64]bool{}
	canonical := map[hotupdate.Sum]bool{}
	sets := 0
	for _, region := range []string{"us-east-1", "us-east-2", "us-west-2", "eu-west-1", "eu-north-1", "ap-south-1", "sa-east-1"} {
		for i, first := range "abcdef" {
			for _, second := range "abcdef"[i+1:] {
				both := of(region+string(first), region+string(second))
				here[both.here] = true
				canonical[both.canonical] = true
				sets++
			}
		}
	}
	fmt.Printf("%d sets of two zones: here %d sums, package hash %d\n", sets, len(here), len(canonical))
	// Output:
	// {us-east-1a, us-east-1b}, {eu-west-1a, eu-west-1b}: here same, package hash different
	// 105 sets of two zones: here 7 sums, package hash 105
}

// In a set an element that stands twice cancels itself.
func ExampleOf_repeatedElements() {
	type pool struct {
		SecurityGroups []string `json:"securityGroups" hotupdatable:"false,set" hash:"set"`
	}
	of := func(groups ...string) sums { return hashBoth(&pool{groups}, hashstructure.Options{}) }
	compare("{sg-1, sg-1}, {sg-2, sg-2}", of("sg-1", "sg-1"), of("sg-2", "sg-2"))
	compare("{sg-1, sg-1}, {}", of("sg-1", "sg-1"), of())
	compare("{sg-1, sg-1}, {sg-1}", of("sg-1", "sg-1"), of("sg-1"))
	// Output:
	// {sg-1, sg-1}, {sg-2, sg-2}: here same, package hash different
	// {sg-1, sg-1}, {}: here same, package hash different
	// {sg-1, sg-1}, {sg-1}: here different, package hash same
}

// SlicesAsSets makes one set of lists in lists.
func ExampleOf_nestedLists() {
	type pool struct {
		Subnets [][]string `json:"subnets"`
	}
	of := func(subnets ...[]string) sums { return hashBoth(&pool{subnets}, hashstructure.Karpenter()) }
	compare("[[a b] [c]], [[a] [b c]]", of([]string{"a", "b"}, []string{"c"}), of([]string{"a"}, []string{"b", "c"}))
	// Output:
	// [[a b] [c]], [[a] [b c]]: here same, package hash different
}

// In format v1 the elements of a set can swap their fields.
func ExampleOf_swappedFields() {
	type volume struct {
		Name string `json:"name"`
		Size int64  `json:"size"`
	}
	type pool struct {
		Volumes []volume `json:"volumes" hotupdatable:"false,key=name" hash:"set"`
	}
	for i, format := range []string{"v2", "v1"} {
		of := func(a, b int64) sums {
			return hashBoth(&pool{[]volume{{"a", a}, {"b", b}}}, hashstructure.Options{FormatV1: i == 1})
		}
		compare("format "+format+", {a:1 b:2}, {a:2 b:1}", of(1, 2), of(2, 1))
	}
	// Output:
	// format v2, {a:1 b:2}, {a:2 b:1}: here different, package hash different
	// format v1, {a:1 b:2}, {a:2 b:1}: here same, package hash different
}

// SlicesAsSets makes a set of bytes of every []byte: the order of digits is lost (karpenter-provider-aws#9461). So it is for raw JSON.
func ExampleOf_bytes() {
	type pool struct {
		UserData []byte `json:"userData"`
	}
	of := func(text string, options hashstructure.Options) sums { return hashBoth(&pool{[]byte(text)}, options) }
	compare("110, 101 with SlicesAsSets", of("110", hashstructure.Karpenter()), of("101", hashstructure.Karpenter()))
	compare("110, 101 without", of("110", hashstructure.Options{}), of("101", hashstructure.Options{}))

	type extended struct {
		Extra runtime.RawExtension `json:"extra"`
	}
	raw := func(text string) sums {
		return hashBoth(&extended{runtime.RawExtension{Raw: []byte(text)}}, hashstructure.Karpenter())
	}
	compare(`{"iops":12}, {"iops":21} with SlicesAsSets`, raw(`{"iops":12}`), raw(`{"iops":21}`))
	// Output:
	// 110, 101 with SlicesAsSets: here same, package hash different
	// 110, 101 without: here different, package hash different
	// {"iops":12}, {"iops":21} with SlicesAsSets: here same, package hash different
}

// Raw JSON is hashed as it is spelled.
func ExampleOf_rawJSON() {
	type pool struct {
		Extra runtime.RawExtension `json:"extra"`
	}
	of := func(text string) sums {
		return hashBoth(&pool{runtime.RawExtension{Raw: []byte(text)}}, hashstructure.Options{})
	}
	compare("white space", of(`{"iops":12}`), of(`{"iops": 12}`))
	compare("order of members", of(`{"a":1,"b":2}`), of(`{"b":2,"a":1}`))
	// Output:
	// white space: here different, package hash same
	// order of members: here different, package hash same
}

// The value of a Quantity stands in unexported fields, which hashstructure does not see (karpenter-provider-aws#5447). Only the suffix
// counts.
func ExampleOf_quantities() {
	type pool struct {
		Size resource.Quantity `json:"size"`
	}
	of := func(size string) sums {
		return hashBoth(&pool{resource.MustParse(size)}, hashstructure.Options{})
	}
	compare("1Gi, 500Gi", of("1Gi"), of("500Gi"))
	compare("1Gi, 1073741824", of("1Gi"), of("1073741824"))
	// Output:
	// 1Gi, 500Gi: here same, package hash different
	// 1Gi, 1073741824: here different, package hash same
}

// With the struct tag hash:"string" a Quantity is hashed as it is spelled. It has to be a pointer.
func ExampleOf_quantityText() {
	type pool struct {
		Size *resource.Quantity `json:"size" hash:"string"`
	}
	of := func(size string) sums {
		quantity := resource.MustParse(size)
		return hashBoth(&pool{&quantity}, hashstructure.Options{})
	}
	compare("1Gi, 500Gi", of("1Gi"), of("500Gi"))
	compare("1Gi, 1024Mi", of("1Gi"), of("1024Mi"))
	compare("1Gi, 1073741824", of("1Gi"), of("1073741824"))

	type byValue struct {
		Size resource.Quantity `json:"size" hash:"string"`
	}
	hashBoth(&byValue{}, hashstructure.Options{})
	// Output:
	// 1Gi, 500Gi: here different, package hash different
	// 1Gi, 1024Mi: here same, package hash same
	// 1Gi, 1073741824: here different, package hash same
	// not-hashable
}

// One instant in two zones has two sums, even if both are UTC by another name.
func ExampleOf_times() {
	type pool struct {
		Rotated metav1.Time `json:"rotated"`
	}
	noon := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	of := func(t time.Time) sums { return hashBoth(&pool{metav1.NewTime(t)}, hashstructure.Options{}) }
	compare("12:00 UTC, 14:00 CEST", of(noon), of(noon.In(time.FixedZone("CEST", 7200))))
	compare("12:00 UTC, 12:00 +00:00", of(noon), of(noon.In(time.FixedZone("", 0))))
	// Output:
	// 12:00 UTC, 14:00 CEST: here different, package hash same
	// 12:00 UTC, 12:00 +00:00: here different, package hash same
}

// The names of Go types and fields are hashed, and in format v2 the order of fields too.
func ExampleOf_refactoring() {
	v1 := hashstructure.Options{FormatV1: true}
	v2 := hashstructure.Options{}
	type Volume struct {
		IOPS int64  `json:"iops"`
		Type string `json:"type"`
	}
	type RenamedType struct {
		IOPS int64  `json:"iops"`
		Type string `json:"type"`
	}
	before := hashBoth(&Volume{3000, "gp3"}, v2)
	beforeV1 := hashBoth(&Volume{3000, "gp3"}, v1)
	compare("type renamed", before, hashBoth(&RenamedType{3000, "gp3"}, v2))
	{
		type Volume struct {
			Iops int64  `json:"iops"`
			Type string `json:"type"`
		}
		compare("field renamed", before, hashBoth(&Volume{3000, "gp3"}, v2))
	}
	{
		type Volume struct {
			IOPS int32  `json:"iops"`
			Type string `json:"type"`
		}
		compare("int64 for int32", before, hashBoth(&Volume{3000, "gp3"}, v2))
	}
	{
		type Volume struct {
			Type string `json:"type"`
			IOPS int64  `json:"iops"`
		}
		compare("fields reordered, format v2", before, hashBoth(&Volume{"gp3", 3000}, v2))
		compare("fields reordered, format v1", beforeV1, hashBoth(&Volume{"gp3", 3000}, v1))
	}
	// Output:
	// type renamed: here different, package hash same
	// field renamed: here different, package hash same
	// int64 for int32: here different, package hash same
	// fields reordered, format v2: here different, package hash same
	// fields reordered, format v1: here same, package hash same
}

// A new field that nobody sets changes every sum, unless zero values are ignored.
func ExampleOf_newField() {
	type Volume struct {
		IOPS int64 `json:"iops"`
	}
	for _, ignoreZero := range []bool{false, true} {
		options := hashstructure.Options{IgnoreZeroValue: ignoreZero}
		before := hashBoth(&Volume{3000}, options)
		type Volume struct {
			IOPS       int64  `json:"iops"`
			Throughput *int64 `json:"throughput,omitempty"`
		}
		compare(fmt.Sprintf("new field, IgnoreZeroValue %t", ignoreZero), before, hashBoth(&Volume{IOPS: 3000}, options))
	}
	// Output:
	// new field, IgnoreZeroValue false: here different, package hash same
	// new field, IgnoreZeroValue true: here same, package hash same
}

// Nil is the integer 0 of 64 bits. With ZeroNil it is the zero value of its type. With IgnoreZeroValue it is left out, so that ZeroNil
// has no effect on fields; then it is an empty slice that differs from nil.
func ExampleOf_nilAndZero() {
	type pool struct {
		A *int64   `json:"a,omitempty"`
		B *int32   `json:"b,omitempty"`
		C []string `json:"c,omitempty"`
	}
	for _, tc := range []struct {
		name    string
		options hashstructure.Options
	}{
		{"no options", hashstructure.Options{}},
		{"ZeroNil", hashstructure.Options{ZeroNil: true}},
		{"IgnoreZeroValue", hashstructure.Options{IgnoreZeroValue: true}},
		{"Karpenter", hashstructure.Karpenter()},
	} {
		of := func(config pool) sums { return hashBoth(&config, tc.options) }
		compare(tc.name+", *int64 nil and 0", of(pool{}), of(pool{A: new(int64)}))
		compare(tc.name+", *int32 nil and 0", of(pool{}), of(pool{B: new(int32)}))
		compare(tc.name+", slice nil and empty", of(pool{}), of(pool{C: []string{}}))
	}
	// Output:
	// no options, *int64 nil and 0: here same, package hash different
	// no options, *int32 nil and 0: here different, package hash different
	// no options, slice nil and empty: here same, package hash same
	// ZeroNil, *int64 nil and 0: here same, package hash different
	// ZeroNil, *int32 nil and 0: here same, package hash different
	// ZeroNil, slice nil and empty: here same, package hash same
	// IgnoreZeroValue, *int64 nil and 0: here different, package hash different
	// IgnoreZeroValue, *int32 nil and 0: here different, package hash different
	// IgnoreZeroValue, slice nil and empty: here different, package hash same
	// Karpenter, *int64 nil and 0: here different, package hash different
	// Karpenter, *int32 nil and 0: here different, package hash different
	// Karpenter, slice nil and empty: here different, package hash same
}

// A word that hashstructure's struct tag does not know means nothing: here the list is not a set.
func ExampleOf_unknownWords() {
	type pool struct {
		Zones []string `json:"zones" hotupdatable:"false,set" hash:"sett"`
	}
	of := func(zones ...string) sums { return hashBoth(&pool{zones}, hashstructure.Options{}) }
	compare("[a b], [b a]", of("a", "b"), of("b", "a"))
	// Output:
	// [a b], [b a]: here different, package hash same
}

type limits struct {
	CPU int64 `json:"cpu,omitempty"`
}

// The fields of an embedded struct whose type is unexported are in JSON, but hashstructure does not see them.
func ExampleOf_embedded() {
	type pool struct {
		limits `json:",inline"`
	}
	of := func(cpu int64) sums { return hashBoth(&pool{limits{cpu}}, hashstructure.Options{}) }
	compare("1 CPU, 64 CPUs", of(1), of(64))
	// Output:
	// 1 CPU, 64 CPUs: here same, package hash different
}

// The API version is hashed: a new one replaces every machine.
func ExampleOf_apiVersion() {
	type pool struct {
		metav1.TypeMeta `json:",inline"`
		Zones           []string `json:"zones"`
	}
	of := func(version string) sums {
		return hashBoth(&pool{metav1.TypeMeta{APIVersion: "aws/" + version}, []string{"a"}}, hashstructure.Karpenter())
	}
	compare("v1alpha1, v1", of("v1alpha1"), of("v1"))
	// Output:
	// v1alpha1, v1: here different, package hash same
}

type chained struct {
	Name string   `json:"name,omitempty"`
	Next *chained `json:"next,omitempty"`
}

// A cycle kills the process that calls hashstructure itself. Here it is an error.
func ExampleOf_cycle() {
	schema, err := hotupdate.SchemaOf[chained]()
	if err != nil {
		fmt.Println(err)
		return
	}
	ring := &chained{}
	ring.Next = &chained{Next: ring}
	_, err = hashstructure.Of(schema, ring, hashstructure.Karpenter())
	for _, problem := range fault.All(err) {
		fmt.Println(problem.Code)
	}

	// With ZeroNil a recursive type is enough: a nil pointer stands for a zero value with a nil pointer, and so on.
	_, err = hashstructure.Of(schema, &chained{}, hashstructure.Options{ZeroNil: true})
	if problem, ok := errors.AsType[*fault.Error](err); ok {
		fmt.Println(problem.Code, problem.Path)
	}
	// Output:
	// pointer-cycle
	// too-deep next
}
