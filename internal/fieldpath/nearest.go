package fieldpath

import "strings"

// Nearest returns the name that was probably meant: the first of those with the fewest differences,
// at most a third of its letters. Case does not count.
func Nearest(name string, names []string) string {
	nearest := ""
	fewest := len(name) + 1
	for _, candidate := range names {
		if 3*max(len(name)-len(candidate), len(candidate)-len(name)) > max(3, len(candidate)) {
			continue // so that long names cost nothing
		}
		n := Differences(strings.ToLower(name), strings.ToLower(candidate))
		if n < fewest && 3*n <= max(3, len(candidate)) {
			nearest = candidate
			fewest = n
		}
	}
	return nearest
}

// Differences counts the bytes to add, remove, replace or swap with the next one that turn a into
// b.
func Differences(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
		for j := range b {
			rows[0][j+1] = j + 1
		}
	}
	for i := range len(a) {
		for j := range len(b) {
			replaced := rows[i][j]
			if a[i] != b[j] {
				replaced++
			}
			rows[i+1][j+1] = min(replaced, rows[i][j+1]+1, rows[i+1][j]+1)
			mayBeSwapped := i > 0 && j > 0
			if mayBeSwapped && a[i] == b[j-1] && a[i-1] == b[j] {
				rows[i+1][j+1] = min(rows[i+1][j+1], rows[i-1][j-1]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
