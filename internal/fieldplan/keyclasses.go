package fieldplan

import (
	"cmp"
	"reflect"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// KeyRules give single keys of a map classes of their own. They are immutable.
type KeyRules struct {
	All      []*KeyRule // in the order of their patterns
	exact    map[string]*KeyRule
	prefixes []prefixRule // in the order of the prefixes
	begins   [256]bool    // the first bytes of all keys that a rule matches
	matches  bool         // a rule matches the empty key
}

// prefixRule is the rule for the keys with a prefix.
type prefixRule struct {
	*KeyRule

	prefix  string
	shorter int // index of the longest of the other prefixes that this one begins with, or noRule
}

const noRule = -1

// KeyRule gives a class to the entry under one key, or under all keys with a prefix.
type KeyRule struct {
	Pattern  string // the key, or the prefix and "*"
	Node     *Node  // of the entries
	At       int    // index of the rule among all rules of the map
	Declared Declaration
	Source   string // what declared the rule: a Go field, or the path of an override

	from KeyClass
}

// prefix returns the prefix of the keys that the rule matches; false if it matches one key only.
func (r *KeyRule) prefix() (string, bool) { return PrefixOf(r.Pattern) }

// PrefixOf returns the prefix of the keys that a pattern matches; false if it is the only key.
func PrefixOf(pattern string) (string, bool) { return strings.CutSuffix(pattern, anyEnd) }

const anyEnd = "*"

// RuleOf returns the rule for a key of map n, in the text that JSON has: the rule for exactly this
// key, or else the rule with the longest prefix of the key. It is nil if the class of the map holds.
// No other function decides about the class of a key.
func (n *Node) RuleOf(key string) *KeyRule {
	rules := n.Keys
	if rules == nil || !rules.mayMatch(key) {
		return nil
	}
	if rule := rules.exact[key]; rule != nil {
		return rule
	}
	return rules.longest(key)
}

// longest returns the rule with the longest prefix of a text, or nil. The last prefix that is not
// behind the text begins with every prefix of the text. So the cost depends on the length of the text
// and of the prefixes, and hardly on their number.
func (r *KeyRules) longest(text string) *KeyRule {
	at := sort.Search(len(r.prefixes), func(i int) bool { return r.prefixes[i].prefix > text }) - 1
	if at < 0 {
		return nil
	}
	common := commonLength(r.prefixes[at].prefix, text)
	for at != noRule && len(r.prefixes[at].prefix) > common {
		at = r.prefixes[at].shorter
	}
	if at == noRule {
		return nil
	}
	return r.prefixes[at].KeyRule
}

// commonLength is the number of bytes with which two texts begin alike.
func commonLength(a, b string) int {
	most := min(len(a), len(b))
	for i := range most {
		if a[i] != b[i] {
			return i
		}
	}
	return most
}

// SourceOf returns the Go field or override that declares a rule of map n, as it may be shown.
func (n *Node) SourceOf(rule *KeyRule) string {
	if n.HidesKeys() && rule.Declared == Overridden {
		return fieldpath.HideKey(rule.Source)
	}
	return rule.Source
}

// mayMatch is false for most keys that no rule matches.
func (r *KeyRules) mayMatch(key string) bool {
	if key == "" {
		return r.matches
	}
	return r.begins[key[0]]
}

// Entry returns the node of the entry of map n under a key, by [Node.RuleOf].
func (n *Node) Entry(key string) *Node {
	if rule := n.RuleOf(key); rule != nil {
		return rule.Node
	}
	return n.Elem
}

// UnderPrefix returns the rule for those keys with a prefix for which there is no longer prefix and
// no exact rule. It is nil if the class of the map holds.
func (n *Node) UnderPrefix(prefix string) *KeyRule {
	if n.Keys == nil {
		return nil
	}
	return n.Keys.longest(prefix)
}

func newKeyRules(all []*KeyRule) *KeyRules {
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b *KeyRule) int { return strings.Compare(a.Pattern, b.Pattern) })
	rules := &KeyRules{All: all, exact: map[string]*KeyRule{}}
	for i, rule := range all {
		rule.At = i
		text, isPrefix := rule.prefix()
		if isPrefix {
			rules.prefixes = append(rules.prefixes, prefixRule{rule, text, noRule})
		} else {
			rules.exact[text] = rule
		}
		if text == "" {
			rules.matches = true
		} else {
			rules.begins[text[0]] = true
		}
	}
	rules.nest()
	return rules
}

// nest sorts the prefixes and finds the shorter prefix of each.
func (r *KeyRules) nest() {
	slices.SortFunc(r.prefixes, func(a, b prefixRule) int { return strings.Compare(a.prefix, b.prefix) })
	for i := range r.prefixes {
		at := i - 1
		for at >= 0 && !strings.HasPrefix(r.prefixes[i].prefix, r.prefixes[at].prefix) {
			at = r.prefixes[at].shorter
		}
		r.prefixes[i].shorter = at
	}
}

func overriddenKey(k structtag.KeyClass, path string) KeyClass {
	return KeyClass{KeyClass: k, Declared: Overridden, Source: path, override: path}
}

// keyClasses returns the classes of single keys of type t in a map at a path: those that are declared,
// and those of overrides, which replace equal ones. It reports those that cannot take effect.
func (c *compiler) keyClasses(t reflect.Type, all []KeyClass, path, place string) []KeyClass {
	for _, o := range c.overridesOfKeys(path) {
		key := o.steps[len(o.steps)-1].Name
		rule := overriddenKey(structtag.KeyClass{Key: key, Class: o.tag.Class}, o.path)
		at := slices.IndexFunc(all, func(k KeyClass) bool { return k.Key == rule.Key })
		switch {
		case o.tag.HasOptions():
			c.rejectKey(rule, "misplaced-option", "is the path of a single key, which has a class and no options",
				"write the class alone")
		case at < 0:
			all = append(all, rule)
		case all[at].override != "":
			c.rejectKey(rule, "duplicate-path", "gives a key a class that `"+all[at].override+"` gives a class, too",
				"remove one of the overrides, or the option `keyclass`")
		default:
			all[at] = rule
		}
	}
	return slices.DeleteFunc(all, func(k KeyClass) bool {
		k.Place = cmp.Or(k.Place, place)
		return !c.checkKey(t, k)
	})
}

// overridesOfKeys returns the overrides for single keys of a map at a path, in the order of their
// paths.
func (c *compiler) overridesOfKeys(path string) (found []override) {
	for _, o := range c.overrides {
		if last := len(o.steps) - 1; o.steps[last].Quoted && o.parent == path {
			found = append(found, o)
		}
	}
	slices.SortFunc(found, func(a, b override) int { return strings.Compare(a.path, b.path) })
	return found
}

// checkKey reports a class of a key that cannot take effect in maps with keys of type t.
func (c *compiler) checkKey(t reflect.Type, k KeyClass) bool {
	kind := leaf.MapKeyKind(t)
	prefix, isPrefix := PrefixOf(k.Key)
	switch {
	case kind != leaf.String && kind != leaf.TextMarshaler:
		c.rejectKey(k, "misplaced-option",
			"gives a class to a key of a map whose keys are of type "+t.String(),
			"give classes to single keys of maps whose keys are strings or text marshalers")
	case isPrefix && prefix == "":
		c.rejectKey(k, "invalid-key-class", "gives a class to all keys", "give the class to the map itself")
	case !utf8.ValidString(k.Key):
		c.rejectKey(k, "invalid-key-class", "gives a class to a key that is not valid UTF-8, which no map has",
			"correct the key")
	case !isPrefix && kind == leaf.TextMarshaler && !leaf.IsKeyText(t, k.Key):
		c.rejectKey(k, "invalid-key-class",
			"gives a class to a key that no "+t.String()+" is written as", "write the key as its type does")
	default:
		return true
	}
	return false
}

// rejectKey reports a class of a key at the field or at the override that it comes from.
func (c *compiler) rejectKey(k KeyClass, code, what, hint string) {
	problem := mistake(k.Place, code, what, hint)
	if k.override != "" {
		problem.Field = ""
		problem.Path = k.override
		problem.Type = k.Place
	} else {
		problem.What = "has the option `" + k.Option() + "`, which " + what
	}
	c.faults.Add(problem)
}

// KeyText returns the text of a key of map n that is spelled as the name of a member. Keys that cannot
// be read have no other text.
func (n *Node) KeyText(spelled string) string {
	if leaf.IsPlainMapKey(n.Type.Key()) {
		return spelled
	}
	if _, isUnloaded := n.Type.Key().(leaf.Unloaded); isUnloaded {
		return spelled
	}
	text, ok := leaf.CanonicalKey(n.Type.Key(), spelled)
	if !ok {
		return spelled
	}
	return text
}
