package admission

// For tests.
var (
	UIDOf    = uidOf
	DigestOf = digestOf
	BudgetOf = budgetOf
)
