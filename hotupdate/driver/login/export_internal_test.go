package login

// The limits, for the tests.
const (
	Lifetime   = lifetime
	Timeout    = timeout
	MaxClients = maxClients
)
