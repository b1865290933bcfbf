package verdict

import "github.com/hotupdate/providerconfig/internal/plaintext"

// APIServer makes the rules that the API server's own code says about custom resources: it is the version of
// Kubernetes of that code, such as v1.36.4.
type APIServer string

// source names the code that says a rule.
func (a APIServer) source() string {
	return "k8s.io/apiextensions-apiserver of Kubernetes " + string(a)
}

// Refuses is the reason why the API server refuses an object.
func (a APIServer) Refuses(text string) Rule {
	return Rule{Refuses, "the API server refuses the object: " + text, a.source()}
}

// Incomplete says that the API server checks more once its refusals are mended.
func (a APIServer) Incomplete() Rule {
	return Rule{
		Kind: Notes, Text: "the API server checks further rules of the definition only once these refusals are mended",
	}
}

// More says how many mistakes are not told.
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

// Fails says why the API server's code has no answer.
func (a APIServer) Fails(problem string) Rule {
	return Rule{Kind: Notes, Text: "the API server's code (Kubernetes " + string(a) + ") has no answer: " + problem}
}

// NotValidated says that nobody was asked whether the API server takes a custom resource.
var NotValidated = Rule{Kind: Assumes, Text: "the API server takes the object by its definition"}
