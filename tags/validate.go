package tags

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns everything that is wrong with a user's infrastructure tags, for all kinds at once; nil if nothing is. The paths of
// the errors are those of JSON below path, such as "tags.vm[owner]".
//
// See [Rules.Validate]. A kind that carries no infrastructure tags on this cloud must have none, or they would be lost.
func (c Cloud) Validate(t, mandatory *Tags, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, kind := range Kinds() {
		below := path.Child(kind.String())
		rules, err := c.Rules(kind)
		switch {
		case err == nil:
			errs = append(errs, rules.Validate(t.Of(kind), mandatory.Of(kind), below)...)
		case len(t.Of(kind)) > 0:
			errs = append(errs, field.Forbidden(below, c.String()+" carries none on resources of this kind: they would be lost; leave them out"))
		}
	}
	return errs
}

// Validate returns everything that is wrong with a user's infrastructure tags of one kind, sorted by key; nil if nothing is.
//
//   - TooMany counts mandatory keys too.
//   - Keys and values that the cloud does not allow are Required, TooLong or Invalid.
//   - Keys that are one key to the cloud are each a Duplicate.
//   - Keys that MCM, the driver or the cloud relies on are Forbidden, and so is a key that is mandatory: mandatory keys are merged last,
//     so the user's value would be lost. The message says what would happen.
//   - A value where keys have none is Forbidden.
//   - Mandatory keys of more than one cluster are Forbidden, at path itself.
//
// No error shows a value.
func (r *Rules) Validate(tags, mandatory map[string]string, path *field.Path) field.ErrorList {
	users, own := r.spec(tags), r.spec(mandatory)
	var clusters []string
	for key := range r.clusterKeys(&own) {
		clusters = append(clusters, key)
	}
	slices.Sort(clusters)

	errs := r.countErrors(&users, &own, path)
	if len(clusters) > 1 {
		errs = append(errs, field.Forbidden(path, "mandatory keys name more than one cluster: "+quoteAll(clusters)))
	}
	for _, key := range Keys(tags) {
		at, id := path.Key(key), r.identity(key)
		if detail := r.forbidden(id, &own, clusters); detail != "" {
			errs = append(errs, field.Forbidden(at, detail))
		}
		if users.count(id) > 1 {
			var all []string
			for tag := range users.spellings(id) {
				all = append(all, tag.Key)
			}
			errs = append(errs, duplicate(at, key, "is one key to the cloud, as it ignores case", all))
		}
		errs = append(errs, r.textErrors(key, tags[key], at)...)
	}
	return errs
}

func (r *Rules) countErrors(users, own *spec, path *field.Path) field.ErrorList {
	mandatory := 0
	for range own.ids {
		mandatory++
	}
	total := mandatory
	for id := range users.ids {
		if !own.has(id) {
			total++
		}
	}
	if total <= r.MaxTags {
		return nil
	}
	err := field.TooMany(path, total, r.MaxTags)
	err.Detail += fmt.Sprintf(", %d of them mandatory", mandatory)
	return field.ErrorList{err}
}

// forbidden says why a key is not for users; empty if it is.
func (r *Rules) forbidden(id string, own *spec, clusters []string) string {
	if own.has(id) {
		return "is a mandatory key of the machine, which is set last: this value would be overwritten; leave it out"
	}
	k := r.reserved(id)
	if k == nil {
		return ""
	}
	what := k.consequence()
	if k.Owner == mcmCluster && len(clusters) > 0 {
		what = "would be a second cluster key beside " + strconv.Quote(clusters[0]) + ": it " + what
	}
	return what + "; " + anotherKey
}

// textErrors lists what is wrong with the texts of a key and its value.
func (r *Rules) textErrors(key, value string, at *field.Path) field.ErrorList {
	errs := r.Key.errors("key", key, at)
	if key == "" {
		errs = field.ErrorList{field.Required(at, "key must not be empty")}
	}
	for _, err := range errs {
		err.BadValue = key
	}
	if !r.KeysOnly {
		return append(errs, r.Value.errors("value", value, at)...)
	}
	if value != "" {
		errs = append(errs, field.Forbidden(at, r.Name+" have no values: it would be lost; leave the value empty"))
	}
	return errs
}

// duplicate is the error of a key that is, or becomes, one key with others.
func duplicate(at *field.Path, key, why string, all []string) *field.Error {
	others := slices.DeleteFunc(slices.Clone(all), func(other string) bool { return other == key })
	detail := why + ", with " + quoteAll(others) + ": only one of their values would remain; keep one of them"
	return &field.Error{Type: field.ErrorTypeDuplicate, Field: at.String(), BadValue: key, Detail: detail}
}

// quoteAll quotes a handful of keys for a message, and counts the others.
func quoteAll(keys []string) string {
	const handful = 5
	var quoted []string
	for _, key := range keys[:min(len(keys), handful)] {
		quoted = append(quoted, strconv.Quote(key))
	}
	text := strings.Join(quoted, ", ")
	if more := len(keys) - handful; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
