package hotupdatelint

import (
	"go/ast"
	"go/token"
	"strings"
)

// ignoring is the comment that silences a line. A reason follows the space.
const ignoring = "//hotupdatelint:ignore "

// readIgnored finds the lines of a file that are not reported: that of the comment if code stands on it, and otherwise the one below.
func (s *source) readIgnored(file *ast.File) {
	code := map[token.Position]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.CommentGroup:
			return false
		}
		code[s.lineOf(n.Pos())] = true
		return true
	})
	for _, group := range file.Comments {
		for _, comment := range group.List {
			at := s.lineOf(comment.Pos())
			if !code[at] {
				at.Line++
			}
			s.ignored[at] = s.ignored[at] || strings.HasPrefix(comment.Text, ignoring)
		}
	}
}
