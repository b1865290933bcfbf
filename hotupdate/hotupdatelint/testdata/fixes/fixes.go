// Package fixes has struct tags whose correction is beyond doubt, and some where it is not.
package fixes

import "github.com/hotupdate/providerconfig/hotupdate"

// Config is the configuration of a worker pool.
type Config struct {
	Unquoted map[string]string `json:"unquoted"   hotupdatable:true`                     // want `field fixes.Config.Unquoted has malformed struct tag .hotupdatable:true.; write .hotupdatable:"true".$`
	Options  []Item            `json:"options"    hotupdatable:false,key=name`           // want `malformed struct tag`
	Spaced   string            `json:"spaced"     hotupdatable: "inplace"`               // want `malformed struct tag`
	First    string            `hotupdatable:true json:"first"`                          // want `malformed struct tag` `has no JSON name`
	Case     string            `json:"case"       hotUpdatable:"true"`                   // want `misspelled struct tag`
	Other    string            `json:"other"      hotupdateable:"true"`                  // want `misspelled struct tag`
	Class    string            `json:"class"      hotupdatable:"True"`                   // want `unknown class .True.`
	Several  []string          `json:"several"    hotUpdatable:"True,Set"`               // want `misspelled struct tag` `unknown class` `unknown option`
	Old      string            "json:\"old\" hotupdatable:true"                          // want `malformed struct tag`
	Reported string            `json:"reported"   hotupdatable:"hot"`                    // want `unknown class .hot.*; write .hotupdatable:"true".: the class hot is written .true.$`
	Keys     map[string]string `json:"keys"       hotupdatable:"ignored,keyclass=hot:a"` // want `unknown class .ignored.` `malformed option .keyclass=hot:a.`
	A, B     string            `json:"both"       hotupdatable:"True"`                   // want `field fixes.Config.A has unknown class` `field fixes.Config.B has unknown class` `A has the JSON name` `B has the JSON name`

	Related    string   `json:"related"  updatable:"true"`                         // want `misspelled struct tag`
	NoClass    string   `json:"noClass"  hotupdatable`                             // want `malformed struct tag`
	Either     string   `json:"either"   hotupdatable:"true" hotupdatable:"false"` // want `more than one struct tag`
	Text       *string  `json:"text"     hotupdatable:"false,default=a,b"`         // want `unknown option .b.`
	Unknown    string   `json:"unknown"  hotupdatable:"true,frozen"`               // want `unknown option .frozen.`
	Conflict   []Item   `json:"conflict" hotupdatable:"true,set,key=name"`         // want `conflicting options`
	Comma      string   `json:"comma", hotupdatable:"true"`                        // want `struct tag .hotupdatable:"true". behind malformed text`
	Typo       string   `json:"typo"       hotupdatabel:"true"`                    // want `misspelled struct tag`
	Letters    string   `json:"letters"    hotupdatable:"ture"`                    // want `unknown class .ture.`
	Twice      string   `json:"twice" hotupdatable:"true" hotupdatable:"true"`     // want `more than one struct tag`
	Duplicate  []string `json:"duplicate"  hotupdatable:"true,set,set"`            // want `option .set. twice`
	QuotedName []Item   `json:"quotedName" hotupdatable:"true,key='name'"`         // want `malformed option`
}

// Foreign has struct tags by overrides.
type Foreign struct {
	List []string `json:"list"`
}

var _, _ = hotupdate.SchemaOf[Foreign](hotupdate.WithTag("list", "True,Set")) // want `unknown class .True. in override` `unknown option .Set. in override`

// Item is an element of lists.
type Item struct {
	Name string `json:"name"`
}
