package hotupdate_test

import (
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Elements of positional lists and sets with another class in them, at several depths.
type (
	coldLeaf struct {
		Port int `json:"port" hotupdatable:"false"`
	}
	inPlaceLeaf struct {
		Port int `json:"port" hotupdatable:"inplace"`
	}
	hotLeaf struct {
		Port int `json:"port" hotupdatable:"true"`
	}
	plainLeaf struct {
		Port int `json:"port"`
	}
	ignoredLeaf struct {
		Port int `json:"port" hotupdatable:"ignore"`
	}
	deepCold struct {
		Inner struct {
			Leaves map[string]*coldLeaf `json:"leaves"`
		} `json:"inner"`
	}
	keyedCold struct {
		Name   string `json:"name"`
		Leaves []struct {
			Name string `json:"name"`
			Port int    `json:"port" hotupdatable:"inplace"`
		} `json:"leaves" hotupdatable:"true,key=name"`
	}
	selected struct {
		Name  string     `json:"name"`
		On    bool       `json:"on"`
		Ports []coldLeaf `json:"ports"`
	}
	selecting struct {
		Map map[string]plainSelected `json:"map" hotupdatable:"ignore,hotwhen=on:true"`
	}
	plainSelected struct {
		On bool `json:"on"`
	}
)

// positionalListRows are lists by position whose elements would not keep their positions.
func positionalListRows() []schemaErrorRow {
	below := func(fields ...string) []problem {
		var all []problem
		for _, f := range fields {
			all = append(all, problem{Code: "non-hot-below-list", Field: f})
		}
		return all
	}
	cold := below("hotupdate_test.coldLeaf.Port")
	return []schemaErrorRow{
		{"immutable below a hot list", errorOf(hotupdate.SchemaOf[struct {
			List []coldLeaf `json:"list" hotupdatable:"true"`
		}]()), cold, "when an element goes, the others move"},
		{"immutable below a hot list of pointers", errorOf(hotupdate.SchemaOf[struct {
			List *[]**coldLeaf `json:"list" hotupdatable:"true"`
		}]()), cold, "pointers change nothing"},
		{"in-place below a hot list", errorOf(hotupdate.SchemaOf[struct {
			List []inPlaceLeaf `json:"list" hotupdatable:"true"`
		}]()), below("hotupdate_test.inPlaceLeaf.Port"), "nothing can be non-hot"},
		{"ignored below a hot list", errorOf(hotupdate.SchemaOf[struct {
			List []ignoredLeaf `json:"list" hotupdatable:"true"`
		}]()), below("hotupdate_test.ignoredLeaf.Port"), "nothing can be non-hot"},
		{"immutable below a hot array", errorOf(hotupdate.SchemaOf[struct {
			List [3]coldLeaf `json:"list" hotupdatable:"true"`
		}]()), cold, "an array is paired by position as well"},
		{"deep below a hot list, through a map", errorOf(hotupdate.SchemaOf[struct {
			List []deepCold `json:"list" hotupdatable:"true"`
		}]()), cold, "at any depth"},
		{"below a keyed list below a hot list", errorOf(hotupdate.SchemaOf[struct {
			List []keyedCold `json:"list" hotupdatable:"true"`
		}]()), below("hotupdate_test.keyedCold.Leaves.Port"), "the outer list moves the inner ones"},
		{"below lists in a hot map", errorOf(hotupdate.SchemaOf[struct {
			Map map[string][]coldLeaf `json:"map" hotupdatable:"true"`
		}]()), cold, "the map is paired by key, the lists in it are not"},
		{"below lists of hot lists", errorOf(hotupdate.SchemaOf[struct {
			List [][]coldLeaf `json:"list" hotupdatable:"true"`
		}]()), cold, "both lists are positional, the problem is one"},
		{"below a list that inherits hot", errorOf(hotupdate.SchemaOf[struct {
			Outer struct {
				List []coldLeaf `json:"list"`
			} `json:"outer" hotupdatable:"true"`
		}]()), cold, "inherited like any class"},
		{"hot below an ignored list", errorOf(hotupdate.SchemaOf[struct {
			List []hotLeaf `json:"list" hotupdatable:"ignore"`
		}]()), below("hotupdate_test.hotLeaf.Port"), "a list that is not hashed keeps no places"},
		{"immutable below an ignored list, deep", errorOf(hotupdate.SchemaOf[struct {
			List []deepCold `json:"list" hotupdatable:"ignore"`
		}]()), cold, "a list that is not hashed keeps no places"},
		{"immutable below a list in elements where hotwhen holds", errorOf(hotupdate.SchemaOf[struct {
			Map map[string]selected `json:"map" hotupdatable:"false,hotwhen=on:true"`
		}]()), cold, "there the list is hot"},
		{"hotwhen below an ignored list", errorOf(hotupdate.SchemaOf[struct {
			List []selecting `json:"list" hotupdatable:"ignore"`
		}]()), below("hotupdate_test.selecting.Map"), "its elements may be hot"},
		{"list made hot by an override", errorOf(hotupdate.SchemaOf[struct {
			List []coldLeaf `json:"list"`
		}](hotupdate.WithTag("list", "true"))), cold, "overrides count as struct tags do"},
		{"leaf made in-place by an override", errorOf(hotupdate.SchemaOf[struct {
			List []plainLeaf `json:"list" hotupdatable:"true"`
		}](hotupdate.WithTag("list[].port", "inplace"))), below("hotupdate_test.plainLeaf.Port"), "overrides count as struct tags do"},
		{
			"recursive hot list", errorOf(hotupdate.SchemaOf[recursiveHotList]()), below("hotupdate_test.recursiveHotList.Name"),
			"the inner elements are below a hot list",
		},
	}
}

type recursiveHotList struct {
	Name string             `json:"name" hotupdatable:"false"`
	Kids []recursiveHotList `json:"kids" hotupdatable:"true"`
}

// setRows are sets with elements of several classes.
func setRows() []schemaErrorRow {
	mixed := func(field string) []problem {
		return []problem{{Code: "mixed-set", Field: "hotupdate_test." + field}}
	}
	return []schemaErrorRow{
		{"hot in an immutable set", errorOf(hotupdate.SchemaOf[struct {
			Set []hotLeaf `json:"set" hotupdatable:"false,set"`
		}]()), mixed("hotLeaf.Port"), "without its hot part an element cannot be told from another"},
		{"in-place in an immutable set", errorOf(hotupdate.SchemaOf[struct {
			Set []inPlaceLeaf `json:"set" hotupdatable:"false,set"`
		}]()), mixed("inPlaceLeaf.Port"), "elements come and go as a whole"},
		{"immutable in a hot set", errorOf(hotupdate.SchemaOf[struct {
			Set []*coldLeaf `json:"set" hotupdatable:"true,set"`
		}]()), mixed("coldLeaf.Port"), "elements come and go as a whole"},
		{"deep in a hot set", errorOf(hotupdate.SchemaOf[struct {
			Set []deepCold `json:"set" hotupdatable:"true,set"`
		}]()), mixed("coldLeaf.Port"), "at any depth"},
		{"by an override", errorOf(hotupdate.SchemaOf[struct {
			Set []plainLeaf `json:"set" hotupdatable:"inplace,set"`
		}](hotupdate.WithTag("set[].port", "ignore"))), mixed("plainLeaf.Port"), "overrides count as struct tags do"},
		{"set made hot by an override", errorOf(hotupdate.SchemaOf[struct {
			Set []coldLeaf `json:"set" hotupdatable:"false,set"`
		}](hotupdate.WithTag("set", "true"))), mixed("coldLeaf.Port"), "overrides count as struct tags do"},
		{"hotwhen in a set", errorOf(hotupdate.SchemaOf[struct {
			Set []selecting `json:"set" hotupdatable:"ignore,set"`
		}]()), mixed("selecting.Map"), "its elements may be hot"},
	}
}
