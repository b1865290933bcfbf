package page_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// minContrast is what WCAG 2.2 asks of text of any size, success criterion 1.4.3.
const minContrast = 4.5

// scheme is the colours of a scheme, by the names of their variables.
type scheme map[string]string

// sheet is what a style sheet says about colours.
type sheet struct {
	schemes     map[string]scheme // light, and dark
	texts       []string          // the variables that colour text
	backgrounds []string          // the variables that text stands on
	problems    []string          // what this test does not understand
}

var (
	variable    = regexp.MustCompile(`--([a-z]+): ([^;]+);`)
	rule        = regexp.MustCompile(`([^{}]+)\{([^{}]*)\}`)
	declaration = regexp.MustCompile(`([a-z-]+): ([^;]+);`)
	reference   = regexp.MustCompile(`^var\(--([a-z]+)\)$`)
	comment     = regexp.MustCompile(`(?s)/\*.*?\*/`)
)

// graphics are the selectors of what has no text: bars and the keys of their legends.
var graphics = regexp.MustCompile(`^\.(part|key|parts)\b`)

// parse reads a style sheet. The only colours of a sheet are variables of :root.
func parse(css string) *sheet {
	s := &sheet{schemes: map[string]scheme{"light": {}, "dark": {}}}
	css = comment.ReplaceAllString(css, "")
	for _, found := range rule.FindAllStringSubmatchIndex(css, -1) {
		selector := strings.TrimSpace(css[found[2]:found[3]])
		body := css[found[4]:found[5]]
		if selector == ":root" && strings.Contains(body, "--") {
			name := "light"
			if strings.HasSuffix(strings.TrimSpace(css[:found[2]]), "(prefers-color-scheme: dark) {") {
				name = "dark"
			}
			for _, v := range variable.FindAllStringSubmatch(body, -1) {
				s.schemes[name][v[1]] = v[2]
			}
			continue
		}
		for _, d := range declaration.FindAllStringSubmatch(strings.TrimSuffix(body, "}")+";", -1) {
			s.declare(selector, d[1], d[2])
		}
	}
	for _, list := range []*[]string{&s.texts, &s.backgrounds} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return s
}

// declare takes note of a declaration that decides a colour.
func (s *sheet) declare(selector, property, value string) {
	found := reference.FindStringSubmatch(value)
	switch {
	case graphics.MatchString(selector), property == "opacity" && value == "1":
	case property == "color" && found != nil:
		s.texts = append(s.texts, found[1])
	case property == "background" && found != nil:
		s.backgrounds = append(s.backgrounds, found[1])
	case slices.Contains([]string{"color", "background", "background-color", "opacity", "filter", "mix-blend-mode"}, property):
		s.problems = append(s.problems, selector+": "+property+": "+value)
	}
}

// faint lists the texts that are too faint on a background.
func (s *sheet) faint() (pairs []string) {
	for _, name := range slices.Sorted(maps.Keys(s.schemes)) {
		for _, text := range s.texts {
			for _, background := range s.backgrounds {
				ratio := contrast(s.schemes[name][text], s.schemes[name][background])
				if !(ratio >= minContrast) { // NaN is too faint
					pairs = append(pairs, fmt.Sprintf("%s: %s on %s: %.2f", name, text, background, ratio))
				}
			}
		}
	}
	return pairs
}

// contrast is the contrast ratio of two colours by WCAG 2.2; NaN if one is not written as #rrggbb.
func contrast(a, b string) float64 {
	lighter := max(luminance(a), luminance(b))
	darker := min(luminance(a), luminance(b))
	return (lighter + 0.05) / (darker + 0.05)
}

// luminance is the relative luminance of a colour of sRGB by WCAG 2.2.
func luminance(color string) float64 {
	if !regexp.MustCompile(`^#[0-9a-f]{6}$`).MatchString(color) {
		return math.NaN()
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, _ := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8) // the pattern above admits no other
		channel := float64(value) / 255
		if channel <= 0.04045 {
			sum += weight * channel / 12.92
		} else {
			sum += weight * math.Pow((channel+0.055)/1.055, 2.4)
		}
	}
	return sum
}

// TestContrastRatio: the ratios of pairs that WCAG and its tools name.
func TestContrastRatio(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want float64
	}{
		{"#000000", "#ffffff", 21},
		{"#ffffff", "#ffffff", 1},
		{"#767676", "#ffffff", 4.54},
		{"#777777", "#ffffff", 4.48},
		{"#ff0000", "#ffffff", 4.0},
		{"#0000ff", "#ffffff", 8.59},
		{"#ffffff", "#008000", 5.14},
	} {
		assert.InDelta(t, test.want, contrast(test.a, test.b), 0.005, "%s on %s", test.a, test.b)
	}
	assert.True(t, math.IsNaN(contrast("white", "#000000")))
}

// TestContrast: every colour of a text can be read on every background that a text may stand on, by
// day and by night.
func TestContrast(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("page.css")
	require.NoError(t, err)
	s := parse(string(css))
	assert.Empty(t, s.problems, "a colour that is no variable")
	assert.Equal(t, []string{"page", "panel"}, s.backgrounds)
	assert.Equal(t, []string{
		"add", "calm", "delete", "drain", "live", "move", "replace", "soft", "stop", "text", "unsure",
	}, s.texts, "every tone, and the colours of texts")
	assert.Equal(t, slices.Sorted(maps.Keys(s.schemes["light"])), slices.Sorted(maps.Keys(s.schemes["dark"])))
	assert.Empty(t, s.faint())
}

// TestFaintColorsAreFound: whichever colour of a text or background is changed to one like the
// other, or written in another way, the test above fails.
func TestFaintColorsAreFound(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("page.css")
	require.NoError(t, err)
	css := string(file)
	clean := parse(css)
	for name, faint := range map[string]string{"light": "#8a8a8a", "dark": "#6a6a6a"} {
		for _, text := range slices.Concat(clean.texts, clean.backgrounds) {
			changed := parse(css)
			changed.schemes[name][text] = faint
			assert.NotEmpty(t, changed.faint(), "%s: %s", name, text)
			changed.schemes[name][text] = "white"
			assert.NotEmpty(t, changed.faint(), "%s: %s", name, text)
			delete(changed.schemes[name], text)
			assert.NotEmpty(t, changed.faint(), "%s: %s", name, text)
		}
	}
	for _, more := range []string{
		"p { color: #aaaaaa; }", "p { color: rgb(0 0 0 / 50%); }", "p { opacity: .5; }", "p { background: var(--a) url(x); }",
		"p { color: gray }",
	} {
		assert.NotEmpty(t, parse(css+more).problems, more)
	}
	assert.NotEmpty(t, parse(css+"p { color: var(--line); }").faint())
	assert.NotEmpty(t, parse(css+"p { background: var(--line); }").faint())
}
