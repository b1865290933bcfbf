//go:build hotupdate_reflect

package leaf

// view returns bytes as a string.
func view(text []byte) string { return string(text) }
