package verdict

import "github.com/hotupdate/providerconfig/internal/plaintext"

// APIServer makes the rules about custom resources that the API server's own code reports. Its
// value is the Kubernetes version of that code, such as v1.36.4.
type APIServer string

// source names the code that reports a rule.
func (a APIServer) source() string {
	return "k8s.io/apiextensions-apiserver of Kubernetes " + string(a)
}

// Refuses is the reason why the API server refuses an object.
func (a APIServer) Refuses(text string) Rule {
	return Rule{Refuses, "the API server refuses the object: " + text, a.source()}
}

// Incomplete says that the API server makes further checks once its refusals are corrected.
func (a APIServer) Incomplete() Rule {
	return Rule{
		Kind: Notes, Text: "the API server checks further rules of the definition only once these refusals are mended",
	}
}

// More says how many mistakes are not listed.
func (a APIServer) More(count int) Rule {
	reasons := plaintext.Counted(count, "more reason")
	return Rule{Kind: Notes, Text: "the API server has " + reasons + " to refuse the object"}
}

// Admits says that the definition of an object admits it.
func (a APIServer) Admits() Rule {
	return Rule{
		Kind: Notes,
		Text: "the API server (Kubernetes " + string(a) + ") takes the object by its definition; webhooks and " +
			"policies were not asked",
	}
}

// Fails says why the API server's code gave no answer.
func (a APIServer) Fails(problem string) Rule {
	return Rule{Kind: Notes, Text: "the API server's code (Kubernetes " + string(a) + ") has no answer: " + problem}
}

// NotValidated says that no API server's code was asked whether it accepts a custom resource.
var NotValidated = Rule{Kind: Assumes, Text: "the API server takes the object by its definition"}
