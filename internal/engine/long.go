package engine

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// longText writes a string that is known to stay, piece by piece if pieces may be handed on.
func (r *run) longText(s string) {
	if !r.canFlush() || !utf8.ValidString(s) {
		r.text(s)
		return
	}
	pieces(r, s, spillAt, canonjson.AppendEscaped[string])
}

// base64At is a number of bytes that base64 writes without padding.
const base64At = spillAt / 4 * 3

// longBytes writes bytes that are known to stay, piece by piece.
func (r *run) longBytes(b []byte) { pieces(r, b, base64At, base64.StdEncoding.AppendEncode) }

func pieces[T string | []byte](r *run, whole T, most int, write func(dst []byte, piece T) []byte) {
	r.buf = append(r.buf, '"')
	for len(whole) > 0 {
		r.commit()
		n := min(len(whole), most)
		r.buf = write(r.buf, whole[:n])
		whole = whole[n:]
	}
	r.buf = append(r.buf, '"')
}
