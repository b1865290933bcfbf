package extension

import "github.com/hotupdate/providerconfig/internal/extensions"

// Known is a pool as the functions of a release see it. In the examples they stand in
// internal/extensions, where recorded answers of the released code hold them. An adopter has them in
// his extension, and puts them into the eras unchanged.
type Known interface{ Known() extensions.Pool }

// Today returns a function of the release for the eras of an example.
func Today[P Known](
	data func(raw []byte, pool extensions.Pool) ([]string, error),
) func(raw []byte, pool P) ([]string, error) {
	return func(raw []byte, pool P) ([]string, error) { return data(raw, pool.Known()) }
}

// Own returns a function of the release for the pool's own fields.
func Own[P Known](own func(extensions.Pool) []string) func(P) []string {
	return func(pool P) []string { return own(pool.Known()) }
}
