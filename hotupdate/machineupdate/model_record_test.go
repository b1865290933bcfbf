package machineupdate_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// This file has the model's view of records: their values for each kind. It reads and writes the annotation with its own code.

// memory is a record. Times are one of modelNow, modelThen and modelAhead.
type memory struct {
	record.Header

	contents [resources + 1]content // of each kind, and of every other kind
}

// content is the record of one kind.
type content struct {
	known   bool
	applied tagset
	values  owned // that may be live beside the applied ones; value 0 is absence
}

// kindNames are the kinds of the resources. A driver of revision 0 covers the first one only.
var kindNames = [resources]string{"first", "second"}

type wireRecord struct {
	Parts []wireContent `json:"parts"`
}

type wireContent struct {
	Kinds     []string          `json:"kinds,omitempty"`
	Applied   json.RawMessage   `json:"applied,omitempty"`
	Attempted []json.RawMessage `json:"attempted,omitempty"`
	Removed   []json.RawMessage `json:"removed,omitempty"`
}

// remember reads an annotation, and checks that writing it again gives the same text.
func (m *model) remember(annotation string) memory {
	m.tb.Helper()
	var w wireRecord
	require.NoError(m.tb, json.Unmarshal([]byte(annotation), &w))
	r, err := record.Parse(annotation)
	require.NoError(m.tb, err, "%s", annotation)
	read := memory{Header: r.Header}
	others := m.content(w.Parts[len(w.Parts)-1])
	read.contents = [resources + 1]content{others, others, others}
	for _, part := range w.Parts[:len(w.Parts)-1] {
		for _, kind := range part.Kinds {
			read.contents[slices.Index(kindNames[:], kind)] = m.content(part)
		}
	}
	require.Equal(m.tb, annotation, m.annotation(&read))
	return read
}

func (m *model) content(w wireContent) content {
	c := content{known: w.Applied != nil}
	if c.known {
		c.applied = m.tagset(w.Applied)
	}
	for _, hot := range w.Attempted {
		c.values.add(m.tagset(hot))
	}
	for _, hot := range w.Removed {
		for key, name := range keyNames {
			if strings.Contains(string(hot), `"`+name+`":null`) {
				c.values[key] |= 1
			}
		}
	}
	return c
}

// annotation writes a record.
func (m *model) annotation(r *memory) string {
	head := record.Record{Header: r.Header}
	others := r.contents[resources].parts()
	var parts []string
	for i, kind := range kindNames {
		body := r.contents[i].parts()
		if body == others {
			continue
		}
		if i == 1 && body == r.contents[0].parts() {
			parts[0] = strings.Replace(parts[0], `"]`, `","`+kind+`"]`, 1)
			continue
		}
		part := `{"kinds":["` + kind + `"]`
		if body != "" {
			part += "," + body
		}
		parts = append(parts, part+"}")
	}
	return strings.TrimSuffix(head.Annotation(), "{}]}") + strings.Join(append(parts, "{"+others+"}"), ",") + "]}"
}

// parts are the members of a content.
func (c *content) parts() string {
	var members, attempted []string
	if c.known {
		members = append(members, `"applied":`+string(hotPart(c.applied)))
	}
	for values := c.values; values[0]&^1|values[1]&^1 != 0; {
		least := tagset(0)
		for key := range keys {
			for value := uint8(1); value < alien; value++ {
				if values[key]&(1<<value) != 0 {
					least = least.with(key, value)
					values[key] &^= (1 << value)
					break
				}
			}
		}
		attempted = append(attempted, string(hotPart(least)))
	}
	if attempted != nil {
		members = append(members, `"attempted":[`+strings.Join(attempted, ",")+`]`)
	}
	var absent []string
	for key, name := range keyNames {
		if c.values[key]&1 != 0 {
			absent = append(absent, `"`+name+`":null`)
		}
	}
	if absent != nil {
		members = append(members, `"removed":[{"tags":{`+strings.Join(absent, ",")+`}}]`)
	}
	return strings.Join(members, ",")
}

// owns reports whether a record holds the value of a key for a resource.
func (c *content) owns(key int, value uint8) bool {
	isApplied := c.known && c.applied.get(key) == value
	isAttempted := c.values[key]&(1<<value) != 0
	return value != alien && (isApplied || isAttempted)
}

// abstract removes differences without effect on decisions. The time counts only in an unconfirmed record, and there
// only whether ConfirmAfter is over, because a retry may come at any time. A clock that was far ahead counts in every
// state.
func (r memory) abstract() memory {
	if r.Retries = 0; !r.Since.Equal(modelAhead) && (r.State != record.Unconfirmed || !r.Since.Equal(modelNow)) {
		r.Since = modelThen
	}
	return r
}

// record returns the number of an annotation. Records that lead to the same decisions have one number.
func (m *model) record(annotation string) recordID {
	id, known := m.annotations[annotation]
	if !known && annotation != "" {
		id = m.intern(m.remember(annotation))
		m.annotations[annotation] = id
	}
	return id
}

func (m *model) intern(r memory) recordID {
	r = r.abstract()
	id, isNew := m.records.id(m.annotation(&r))
	if isNew {
		m.memories = append(m.memories, r)
		m.aged = append(m.aged, 0)
	}
	return id
}

// age returns a record after ConfirmAfter has passed.
func (m *model) age(id recordID) recordID {
	if id != 0 && m.aged[id] == 0 {
		r := m.memories[id]
		if r.Since.Equal(modelNow) {
			r.Since = modelThen
		}
		aged := m.intern(r)
		m.aged[id] = aged
	}
	return m.aged[id]
}

// ahead returns a record written by a clock that is far ahead.
func (m *model) ahead(id recordID) recordID {
	r := m.memories[id]
	r.Since = modelAhead
	return m.intern(r)
}

// owns reports whether a record holds the value of a key for a resource.
func (m *model) owns(id recordID, r, key int, value uint8) bool {
	return m.memories[id].contents[r].owns(key, value)
}
