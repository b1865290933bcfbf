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
	r.buf = append(r.buf, '"')
	for len(s) > 0 {
		r.commit()
		n := min(len(s), spillAt)
		r.buf = canonjson.AppendEscaped(r.buf, s[:n])
		s = s[n:]
	}
	r.buf = append(r.buf, '"')
}

// base64At is a number of bytes that base64 writes without padding.
const base64At = spillAt / 4 * 3

// longBytes writes bytes that are known to stay, piece by piece.
func (r *run) longBytes(b []byte) {
	r.buf = append(r.buf, '"')
	for len(b) > 0 {
		r.commit()
		n := min(len(b), base64At)
		r.buf = base64.StdEncoding.AppendEncode(r.buf, b[:n])
		b = b[n:]
	}
	r.buf = append(r.buf, '"')
}
