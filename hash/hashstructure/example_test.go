package hashstructure_test

import (
	"fmt"

	"github.com/hotupdate/providerconfig/hash/hashstructure"
	"github.com/hotupdate/providerconfig/hotupdate"
)

type NodeClass struct {
	Zones        []string          `json:"zones,omitempty"`
	InstanceType string            `json:"instanceType,omitempty"`
	Tags         map[string]string `json:"tags,omitempty"         hotupdatable:"true"`
}

// A sum as Karpenter makes it, with tags that are hot.
func ExampleOf() {
	schema, err := hotupdate.SchemaOf[NodeClass]()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, config := range []*NodeClass{
		{Zones: []string{"eu-west-1a"}, InstanceType: "m5.large"},
		{Zones: []string{"eu-west-1a"}, InstanceType: "m5.large", Tags: map[string]string{"team": "a"}},
		{Zones: []string{"eu-west-1a"}, InstanceType: "m5.xlarge", Tags: map[string]string{"team": "a"}},
	} {
		sum, err := hashstructure.Of(schema, config, hashstructure.Karpenter())
		fmt.Println(sum, err)
	}
	// Output:
	// 15664649136996363637 <nil>
	// 15664649136996363637 <nil>
	// 605582693671748671 <nil>
}

// What is hashed can be looked at, and handed to hashstructure itself.
func ExampleProjection() {
	type label struct {
		Name  string `json:"name"`
		Value string `json:"value,omitempty"`
		Roll  bool   `json:"roll,omitempty"`
	}
	type config struct {
		Labels []label           `json:"labels,omitempty" hotupdatable:"false,key=name,hotwhen=roll:false"`
		Tags   map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
	}
	schema, err := hotupdate.SchemaOf[config]()
	if err != nil {
		fmt.Println(err)
		return
	}
	projection, err := hashstructure.Projection(schema, &config{
		Labels: []label{{Name: "team", Value: "a"}, {Name: "gpu", Value: "yes", Roll: true}},
		Tags:   map[string]string{"team": "a"},
	})
	fmt.Printf("%+v %v\n", *projection, err)
	// Output:
	// {Labels:[{Name:gpu Value:yes Roll:true}] Tags:map[]} <nil>
}
