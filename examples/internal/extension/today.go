package extension

import "github.com/hotupdate/providerconfig/internal/extensions"

// Known returns the pool for the functions of the released extension. In the examples these
// functions are in internal/extensions, whose tests compare them with recorded answers of the
// released code. An adopter has them in the extension, and puts them into the eras unchanged.
type Known interface{ Known() extensions.Pool }

// Today turns a function of the released extension into one for the eras of an example.
func Today[P Known](
	data func(raw []byte, pool extensions.Pool) ([]string, error),
) func(raw []byte, pool P) ([]string, error) {
	return func(raw []byte, pool P) ([]string, error) { return data(raw, pool.Known()) }
}

// Own turns a function of the released extension for the pool's own fields into one for an example.
func Own[P Known](own func(extensions.Pool) []string) func(P) []string {
	return func(pool P) []string { return own(pool.Known()) }
}
