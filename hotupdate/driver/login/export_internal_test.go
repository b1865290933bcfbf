package login

// The limits, for the tests.
const (
	Lifetime   = lifetime
	MaxClients = maxClients
)
