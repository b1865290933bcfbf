// Package page is the frame of the HTML reports: one self-contained file that a browser shows
// without a network, in light and dark, on paper and on a telephone.
//
// It owns the style, the colours of verdicts, the bars and the order of the head. It must not know
// the subject of a report. Everything that a report inserts goes through html/template, which
// escapes it for its context.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

//go:embed page.html
var frame string

//go:embed page.css
var style string

// Tables is a script that sorts the tables of class pools by their heads, and filters their rows.
// It hides a section of class cause that has no rows left. The content has a hidden element of
// class controls for the field.
//
//go:embed tables.js
var Tables string

// Page is one report.
type Page struct {
	// Title is the heading, Lead the sentence below it. About says what was compared, when, and by which version.
	Title, Lead, About string
	// Tone is the colour of the lead.
	Tone Tone
	// Script is the report's own JavaScript, or nothing. No other script runs in the page.
	Script string
	// Template is the template of the content, in which {{template "bar" .}} draws a [Bar].
	// Functions are the functions that it calls in addition to number, which formats a number for
	// people.
	Template  string
	Functions template.FuncMap
	// Content is the data of the template.
	Content any
}

// Tone is the gravity of something, which decides its colour in bars and texts.
type Tone string

// The tones, from harmless to grave.
const (
	Calm    Tone = "calm"    // nothing happens
	Live    Tone = "live"    // running machines are updated
	Add     Tone = "add"     // machines are created
	Move    Tone = "move"    // some machines of a pool may be deleted
	Drain   Tone = "drain"   // nodes are drained and updated in place
	Unsure  Tone = "unsure"  // not known
	Replace Tone = "replace" // machines are replaced
	Stop    Tone = "stop"    // refused
	Delete  Tone = "delete"  // machines are deleted for good
)

// Bar is a stacked bar. Its parts share its width in proportion to their counts; parts with count 0
// are left out.
type Bar struct {
	Label string
	Parts []Part
}

// Part is a part of a bar.
type Part struct {
	Name  string // the counted thing, shown beside the bar and as a tooltip; a part without a name is blank
	Tone  Tone
	Count int
}

// Write writes a page.
func Write(out io.Writer, p Page) error {
	t, err := template.New("page").Funcs(template.FuncMap{"number": plaintext.Thousands}).Parse(frame)
	if err == nil {
		_, err = t.New("content").Funcs(p.Functions).Parse(p.Template)
	}
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(out, "page", struct {
		Page

		Style      template.CSS
		Code       template.JS
		ScriptHash string
	}{p, template.CSS(style), template.JS(p.Script), hashOf(p.Script)}) //nolint:gosec // both are of this program
}

// hashOf returns the source expression that makes the page's content security policy admit this
// script only, and none that a manifest may hold.
func hashOf(script string) string {
	if script == "" {
		return "'none'"
	}
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
