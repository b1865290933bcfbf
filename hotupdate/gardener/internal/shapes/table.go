package shapes

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Release is a release of Gardener with its types.
type Release struct {
	Version string
	Types   Types
}

// Member is a member of a type in the table.
type Member struct {
	Type string `json:"type"`
	// Was is another type that an earlier release has; empty if all agree.
	Was string `json:"was,omitempty"`
	// First and Last are the first and the last of the releases that has the member; empty for the oldest
	// and for the newest release.
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
}

// Table has the members of all releases.
type Table struct {
	Releases []string
	Types    map[string]map[string]Member
}

// Merge makes a table of releases, the oldest first. A member has the type of the last release that has
// it.
func Merge(releases []Release) *Table {
	t := &Table{Types: map[string]map[string]Member{}}
	for i, release := range releases {
		t.Releases = append(t.Releases, release.Version)
		for name, members := range release.Types {
			if t.Types[name] == nil {
				t.Types[name] = map[string]Member{}
			}
			for member, typ := range members {
				t.add(name, member, typ, i)
			}
		}
	}
	newest := t.Releases[len(t.Releases)-1]
	for _, members := range t.Types {
		for name, member := range members {
			if member.First == t.Releases[0] {
				member.First = ""
			}
			if member.Last == newest {
				member.Last = ""
			}
			members[name] = member
		}
	}
	return t
}

// add adds a member of the i-th release.
func (t *Table) add(name, member, typ string, i int) {
	known, isKnown := t.Types[name][member]
	if !isKnown {
		known = Member{Type: typ, First: t.Releases[i]}
	}
	if known.Type != typ {
		known.Was = known.Type
	}
	known.Type = typ
	known.Last = t.Releases[i]
	t.Types[name][member] = known
}

// Newest returns the types of the newest release.
func (t *Table) Newest() Types {
	all := Types{}
	for name, members := range t.Types {
		newest := map[string]string{}
		for member, one := range members {
			if one.Last == "" {
				newest[member] = one.Type
			}
		}
		if len(newest) > 0 || len(members) == 0 {
			all[name] = newest
		}
	}
	return all
}

// generated says where the file is from.
const generated = "by go generate ./internal/shapes in the module hotupdate/gardener, from the types of these " +
	"releases " +
	"of github.com/gardener/gardener"

// JSON writes the table: a line for each type, its members in the order of their names. A member that all
// releases have is its type alone.
func (t *Table) JSON() ([]byte, error) {
	var text bytes.Buffer
	head, err := json.Marshal(t.Releases)
	if err != nil {
		return nil, err
	}
	text.WriteString("{\n\"generated\": \"" + generated + "\",\n\"releases\": ")
	text.Write(head)
	text.WriteString(",\n\"types\": {")
	for i, name := range slices.Sorted(maps.Keys(t.Types)) {
		if i > 0 {
			text.WriteString(",")
		}
		line, err := json.Marshal(lean(t.Types[name]))
		if err != nil {
			return nil, err
		}
		text.WriteString("\n\"" + name + "\": ")
		text.Write(line)
	}
	text.WriteString("\n}\n}\n")
	return text.Bytes(), nil
}

// lean writes members that all releases have as their type.
func lean(members map[string]Member) map[string]any {
	all := map[string]any{}
	for name, member := range members {
		all[name] = member
		if member == (Member{Type: member.Type}) {
			all[name] = member.Type
		}
	}
	return all
}

// Parse reads a table that [Table.JSON] has written.
func Parse(text []byte) (*Table, error) {
	var file struct {
		Releases []string
		Types    map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	t := &Table{Releases: file.Releases, Types: map[string]map[string]Member{}}
	for name, members := range file.Types {
		t.Types[name] = map[string]Member{}
		for member, value := range members {
			var one Member
			if json.Unmarshal(value, &one.Type) != nil {
				if err := json.Unmarshal(value, &one); err != nil {
					return nil, err
				}
			}
			t.Types[name][member] = one
		}
	}
	return t, nil
}
