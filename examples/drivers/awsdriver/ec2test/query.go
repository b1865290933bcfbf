package ec2test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/tags"
)

// parameters are the parameters of a Query request, or of one element of a list in it: Tag.2.Key is
// the parameter Key of the second Tag.
type parameters map[string]string

// parametersOf reads a form. If a parameter is repeated, its first value counts.
func parametersOf(form url.Values) parameters {
	p := parameters{}
	for name, values := range form {
		p[name] = values[0]
	}
	return p
}

// list returns the elements of a list in their order. A scalar element has its value under the
// empty name.
func (p parameters) list(name string) []parameters {
	elements := map[int]parameters{}
	for key, value := range p {
		rest, ok := strings.CutPrefix(key, name+".")
		if !ok {
			continue
		}
		number, member, _ := strings.Cut(rest, ".")
		n, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		if elements[n] == nil {
			elements[n] = parameters{}
		}
		elements[n][member] = value
	}
	var all []parameters
	for _, n := range slices.Sorted(maps.Keys(elements)) {
		all = append(all, elements[n])
	}
	return all
}

// texts returns the elements of a list of scalars.
func (p parameters) texts(name string) []string {
	var all []string
	for _, element := range p.list(name) {
		all = append(all, element[""])
	}
	return all
}

// number reads a number, or returns missing if there is none.
func (p parameters) number(name string, missing int) (int, error) {
	text, ok := p[name]
	if !ok {
		return missing, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, invalid(name + " is not a number")
	}
	return n, nil
}

// setting reads the tags that a request sets.
func setting(p parameters) (call fakecloud.Call) {
	for _, tag := range p.list("Tag") {
		call.Set = append(call.Set, tags.Tag{Key: tag["Key"], Value: tag["Value"]})
	}
	return call
}

// removing reads the tags that a request removes. A value, also an empty one, is a condition.
func removing(p parameters) (call fakecloud.Call) {
	for _, tag := range p.list("Tag") {
		if value, ok := tag["Value"]; ok {
			call.Remove = append(call.Remove, tags.Tag{Key: tag["Key"], Value: value})
		} else {
			call.Keys = append(call.Keys, tag["Key"])
		}
	}
	return call
}

// Error is an answer that refuses a request without any change.
type Error struct {
	Code    string
	Message string
}

// Error returns the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

func invalid(message string) error { return &Error{Code: "InvalidParameterValue", Message: message} }

// noSuch returns the error for an unknown ID, in EC2's words. Each kind of resource has its own code.
func noSuch(id string) error {
	kinds := map[string]struct{ code, name string }{
		"i":   {"InvalidInstanceID.NotFound", "instance ID"},
		"vol": {"InvalidVolume.NotFound", "volume"},
		"eni": {"InvalidNetworkInterfaceID.NotFound", "networkInterface ID"},
	}
	prefix, _, _ := strings.Cut(id, "-")
	kind, isKnown := kinds[prefix]
	if !isKnown {
		return &Error{Code: "InvalidID", Message: fmt.Sprintf("The ID '%s' is not valid", id)}
	}
	return &Error{Code: kind.code, Message: fmt.Sprintf("The %s '%s' does not exist", kind.name, id)}
}
