package structtag

// Meaning says what the texts of a string stand for. Texts that stand for the same mean the same.
type Meaning uint8

// The meanings. A text that has not the form of its meaning stands for itself.
const (
	Undeclared Meaning = iota // the option `as` is missing
	AsText                    // every text stands for itself
	AsQuantity                // of Kubernetes: 1Gi
	AsDuration                // of Go: 1h30m
	AsCIDR                    // a network: 10.0.0.0/8
	AsDNS                     // a domain name: example.com
	AsTime                    // of RFC 3339
)

var meanings = []string{
	Undeclared: "undeclared", AsText: "text", AsQuantity: "quantity", AsDuration: "duration", AsCIDR: "cidr",
	AsDNS: "dns", AsTime: "time",
}

// String returns the word of the meaning in the option `as`, or "undeclared".
func (m Meaning) String() string { return nameIn(meanings, "Meaning", int(m)) }

// MeaningNamed parses a word of the option `as`.
func MeaningNamed(word string) (Meaning, bool) {
	for m, name := range meanings[AsText:] {
		if name == word {
			return AsText + Meaning(m), true //nolint:gosec // there are few meanings
		}
	}
	return Undeclared, false
}
