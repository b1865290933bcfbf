package verdict

import (
	"slices"
	"strings"
)

// Question is a fact that is not known and that decides a verdict: what the fact is, who has it, how to
// state it, and what each of its values gives. The zero value asks nothing.
type Question struct {
	// Fact names the fact, such as useGKEFormula.
	Fact string
	// Owner says who has the fact, such as the configuration of an admission plugin.
	Owner string
	// Answer says how to state the fact: a flag, a key of the config file, or a command. It is a clause in
	// the imperative.
	Answer string
	// Values are the values that the fact can have. If there are none, the verdict is not bounded.
	Values []Value
	// Rule is the rule that needs the fact.
	Rule Rule
}

// Value is a value that a fact can have, in words, and the verdicts that it gives.
type Value struct {
	Text  string
	Gives Set
}

// Gives is a value that gives some verdicts.
func Gives(text string, verdicts ...Verdict) Value { return Value{text, Only(verdicts...)} }

// Asks reports whether there is a question.
func (q Question) Asks() bool { return q.Fact != "" }

// Becomes returns the verdicts that the answers give. It is not bounded without values.
func (q Question) Becomes() (s Set) {
	if len(q.Values) == 0 {
		return Any()
	}
	for _, v := range q.Values {
		s = s.Or(v.Gives)
	}
	return s
}

// Beside returns the question for a change that also has a certain verdict: each value gives at
// least that verdict. It asks nothing if all values then give the same.
func (q Question) Beside(sure Verdict) Question {
	q = q.giving(func(s Set) Set { return s.And(Only(sure)) })
	if q.Becomes().IsOne() {
		return Question{}
	}
	return q
}

// As returns the question with the verdicts that a function makes of those that the values give.
func (q Question) As(made func(Verdict) Verdict) Question {
	return q.giving(func(s Set) Set { return s.As(made) })
}

func (q Question) giving(made func(Set) Set) Question {
	q.Values = slices.Clone(q.Values)
	for i := range q.Values {
		q.Values[i].Gives = made(q.Values[i].Gives)
	}
	return q
}

// String returns the question in a clause for people: the fact, what each value gives, who has the fact, and
// how to state it.
func (q Question) String() string {
	text := q.Fact
	if len(q.Values) > 0 {
		text += " (" + q.gives() + ")"
	}
	if q.Owner != "" {
		text += ", in " + q.Owner
	}
	if q.Answer != "" {
		text += "; " + q.Answer
	}
	return text
}

// gives lists the verdict of each value: true gives roll, false gives none.
func (q Question) gives() string {
	var all []string
	for _, v := range q.Values {
		all = append(all, v.Text+" gives "+v.Gives.String())
	}
	return strings.Join(all, ", ")
}

// Merged returns the questions about one pool without duplicates. Two questions about one fact become
// one, whose values give the verdicts of both together.
func Merged(all []Question) (merged []Question) {
	at := map[string]int{}
	for _, q := range all {
		i, isKnown := at[q.Fact]
		if !isKnown {
			at[q.Fact] = len(merged)
			q.Values = slices.Clone(q.Values)
			merged = append(merged, q)
			continue
		}
		merged[i].Values = together(merged[i].Values, q.Values)
	}
	return merged
}

// together combines what the values of one fact give in two questions; nil if the questions have
// different values. It changes the first list.
func together(values, others []Value) []Value {
	if len(others) != len(values) {
		return nil
	}
	for i := range values {
		if values[i].Text != others[i].Text {
			return nil
		}
		values[i].Gives = values[i].Gives.And(others[i].Gives)
	}
	return values
}
