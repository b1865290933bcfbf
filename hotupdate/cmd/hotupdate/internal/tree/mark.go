package tree

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// Mark is syntax in a YAML document that is for another program than an API server.
type Mark int

// The marks. ytt reads instructions in comments, and a tag with one ! belongs to another program,
// such as Ansible.
const (
	NoMark Mark = iota
	YTT
	LocalTag
)

// MarkOf returns the first mark of a document, and its line in the text, counted from 1. It finds none in text
// that is not valid YAML, and none within the text of a value.
func MarkOf(text []byte) (mark Mark, line int) {
	mayHaveTag := bytes.IndexByte(text, '!') >= 0 && localTag().Match(text) // most texts have no exclamation mark
	if !mayHaveTag && !bytes.Contains(text, []byte("#@")) {
		return NoMark, 0
	}
	var document yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&document); err != nil {
		return NoMark, 0
	}
	return markOf(&document)
}

func markOf(n *yaml.Node) (mark Mark, line int) {
	comments := []string{n.HeadComment, n.LineComment, n.FootComment}
	isLocal := strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") && n.Tag != "!"
	switch {
	case slices.ContainsFunc(comments, ofYTT().MatchString):
		return YTT, max(1, n.Line)
	case isLocal:
		return LocalTag, n.Line
	}
	for _, below := range n.Content {
		if mark, line = markOf(below); mark != NoMark {
			return mark, line
		}
	}
	return NoMark, 0
}

// ofYTT matches comments that have an instruction to ytt: code, or an annotation.
//
// Source: "Syntax" and the annotations of modules in the documentation of ytt.
var ofYTT = lazyregexp.New(`(?m)^#@(\s|data/|overlay/|schema/|library/|yaml/|assert/|ytt/)`)

// localTag matches every text with a local tag, and others.
var localTag = lazyregexp.New(`(?m)(^|[\s\[{,:-])![A-Za-z]`)
