package page_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var screens = flag.String("screens", "", "write what the browser shows into this `FOLDER`")

// browser is a tab of Chromium, which must be installed. Problems has the violations of the page's
// policy, and the errors of its script.
type browser struct {
	t        *testing.T
	ctx      context.Context //nolint:containedctx // the context of the tab
	problems []string
}

func start(t *testing.T) *browser {
	t.Helper()
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{chromedp.NoSandbox})
	allocated, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(allocated)
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.problems = append(b.problems, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			b.problems = append(b.problems, fmt.Sprint(e.Type))
		}
	})
	require.NoError(t, chromedp.Run(ctx), "install Chromium: apt-get install chromium")
	return b
}

func (b *browser) run(actions ...chromedp.Action) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Run(b.ctx, actions...))
}

// open shows a page in a window of a width, in a colour scheme.
func (b *browser) open(path string, width int64, scheme string) {
	b.t.Helper()
	b.run(
		emulation.SetDeviceMetricsOverride(width, 844, 1, width < 500),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate("file://"+path),
	)
}

// ask evaluates JavaScript.
func ask[T any](b *browser, script string) (answer T) {
	b.t.Helper()
	b.run(chromedp.Evaluate(script, &answer))
	return answer
}

// keep saves a screenshot for people, if the flag asks for it.
func (b *browser) keep(name string) {
	b.t.Helper()
	if *screens == "" {
		return
	}
	height := min(ask[float64](b, "document.documentElement.scrollHeight"), 1600)
	clip := &page.Viewport{Width: ask[float64](b, "innerWidth"), Height: height, Scale: 1}
	b.run(chromedp.ActionFunc(func(ctx context.Context) error {
		picture, err := page.CaptureScreenshot().WithCaptureBeyondViewport(true).WithClip(clip).Do(ctx)
		if err == nil {
			err = os.WriteFile(filepath.Join(*screens, name+".png"), picture, 0o600)
		}
		return err
	}))
}

// overflowing lists the elements that are wider than their box or than the window: text would be
// cut, or the page would scroll sideways.
const overflowing = `[...document.querySelectorAll('body *')].filter(e =>
	e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && getComputedStyle(e).display != 'inline' ||
	e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 200))`

// TestNothingOverflows: in a window of any width, a page does not scroll sideways, and no text is
// cut.
func TestNothingOverflows(t *testing.T) {
	b := start(t)
	for name, path := range pages(t) {
		for _, window := range []struct {
			name   string
			width  int64
			scheme string
		}{
			{"phone", 390, "light"},
			{"phone-dark", 390, "dark"},
			{"small", 320, "light"},
			{"desktop", 1280, "light"},
			{"dark", 1280, "dark"},
		} {
			b.open(path, window.width, window.scheme)
			b.keep(name + "-" + window.name)
			assert.LessOrEqual(t, ask[int64](b, "document.documentElement.scrollWidth"), window.width, "%s, %s", name, window.name)
			assert.Empty(t, ask[[]string](b, overflowing), "%s, %s", name, window.name)
		}
	}
	assert.Empty(t, b.problems)
}

// TestPhone: on a phone, the values of a change stand one below the other, each as wide as the
// screen.
func TestPhone(t *testing.T) {
	b := start(t)
	path := pages(t)["few"]
	const narrowest = `Math.min(...[...document.querySelectorAll('table.changes td.after')].map(e => e.getBoundingClientRect().width))`
	b.open(path, 390, "light")
	assert.Greater(t, ask[float64](b, narrowest), 250.0)
	assert.Equal(t, `"after"`, ask[string](b, "getComputedStyle(document.querySelector('td.after'), '::before').content"))
	b.open(path, 1280, "light")
	assert.Less(t, ask[float64](b, narrowest), 250.0, "a column of a table")
	assert.Equal(t, "none", ask[string](b, "getComputedStyle(document.querySelector('td.after'), '::before').content"))
}

// TestPhoneAudit: on a phone, each cell shows the name of its column, and rows can be sorted and
// filtered.
func TestPhoneAudit(t *testing.T) {
	b := start(t)
	b.open(pages(t)["audit"], 390, "light")
	const label = "getComputedStyle(document.querySelector('table.pools td.number'), '::before').content"
	assert.Equal(t, `"machines"`, ask[string](b, label))
	b.run(chromedp.Click("table.pools th.number button", chromedp.ByQuery))
	assert.Equal(t, "ascending", ask[string](b, "document.querySelector('table.pools th.number').ariaSort"))
	b.run(chromedp.SendKeys("#filter", "cluster-110 cpu", chromedp.ByQuery))
	const shown = "[...document.querySelectorAll('table.pools tbody tr')].filter(e => e.checkVisibility()).length"
	assert.Equal(t, 1, ask[int](b, shown))
	assert.Empty(t, b.problems)
}

// TestPlanFilters: the causes of plan's page are filtered by names and files, and their pools are sorted.
func TestPlanFilters(t *testing.T) {
	b := start(t)
	b.open(pages(t)["plan"], 1280, "light")
	const shown = "[...document.querySelectorAll('table.pools tbody tr')].filter(e => e.checkVisibility()).length"
	const causes = "[...document.querySelectorAll('.cause')].filter(e => e.checkVisibility()).length"
	all := ask[int](b, shown)
	assert.Greater(t, all, 20)
	b.run(chromedp.Click("table.pools th.number button", chromedp.ByQuery))
	assert.Equal(t, "ascending", ask[string](b, "document.querySelector('table.pools th.number').ariaSort"))
	b.run(chromedp.SendKeys("#filter", "cluster-1", chromedp.ByQuery))
	assert.Positive(t, ask[int](b, causes))
	assert.Less(t, ask[int](b, shown), all)
	b.run(chromedp.SendKeys("#filter", " no such file", chromedp.ByQuery))
	assert.Zero(t, ask[int](b, causes))
	assert.Empty(t, b.problems)
}

// TestDark: the colours follow the colour scheme of the system.
func TestDark(t *testing.T) {
	b := start(t)
	path := pages(t)["few"]
	const background = "getComputedStyle(document.body).backgroundColor"
	b.open(path, 1280, "light")
	assert.Equal(t, "rgb(255, 255, 255)", ask[string](b, background))
	b.open(path, 1280, "dark")
	assert.Equal(t, "rgb(13, 17, 23)", ask[string](b, background))
}

// TestSorting: a button in the head of a column sorts the rows, numbers as numbers, and announces
// the order. The keyboard does what a click does. The filter shows the rows that contain all its
// words.
func TestSorting(t *testing.T) {
	b := start(t)
	b.open(pages(t)["audit"], 1280, "light")
	const table = "document.querySelector('table.pools')"
	titles := ask[[]string](b, "[..."+table+".tHead.rows[0].cells].map(e => e.textContent)")
	require.Equal(t, "concerned", titles[0])
	order := func(column int) []string {
		return ask[[]string](b, fmt.Sprintf("[...%s.tBodies[0].rows].map(e => e.cells[%d].textContent)", table, column))
	}
	sorts := func() []string {
		return ask[[]string](b, "[..."+table+".tHead.rows[0].cells].map(e => e.getAttribute('aria-sort') || '')")
	}
	assert.NotContains(t, sorts(), "ascending", "before a click")
	machines := slices.Index(titles, "machines")
	require.Positive(t, machines, "%v", titles)
	press := func(column int) {
		b.run(chromedp.Evaluate(fmt.Sprintf("%s.tHead.rows[0].cells[%d].querySelector('button').focus()", table, column), nil),
			chromedp.KeyEvent("\r"))
	}
	click := func(column int) {
		b.run(chromedp.Click(fmt.Sprintf("table.pools th:nth-child(%d) button", column+1), chromedp.ByQuery))
	}
	b.run(chromedp.Evaluate(fmt.Sprintf("[...%s.tBodies[0].rows].slice(0, 2).forEach((e, i) => e.cells[%d].textContent = ['1,476', '999'][i])",
		table, machines), nil))
	for _, by := range []func(int){click, press} {
		for _, column := range []int{0, machines} {
			by(len(titles) - 1) // sort by another column, so that the first click on this one is ascending
			for _, direction := range []string{"ascending", "descending", "ascending"} {
				by(column)
				expected := make([]string, len(titles))
				expected[column] = direction
				assert.Equal(t, expected, sorts(), titles[column])
				got := order(column)
				if direction == "descending" {
					slices.Reverse(got)
				}
				assert.True(t, slices.IsSortedFunc(got, natural), "%s, %s", titles[column], direction)
				assert.NotEqual(t, got[0], got[len(got)-1], "a column of equal values shows nothing")
			}
		}
	}
	rows := len(order(0))
	b.run(chromedp.SendKeys("#filter", "cluster-110 cpu", chromedp.ByQuery))
	const shown = "[..." + table + ".tBodies[0].rows].filter(e => e.checkVisibility()).map(e => e.textContent)"
	left := ask[[]string](b, shown)
	require.Len(t, left, 1)
	assert.Contains(t, left[0], "cluster-110")
	assert.Regexp(t, `^1 of \d+ rows$`, ask[string](b, "document.querySelector('#shown').textContent"))
	assert.Greater(t, rows, 100)
	assert.Empty(t, b.problems)
}

var digits = regexp.MustCompile(`\d+|\D+`)

// natural compares texts. Numbers in the texts are compared as numbers; commas separate thousands.
func natural(a, b string) int {
	a = strings.ReplaceAll(a, ",", "")
	b = strings.ReplaceAll(b, ",", "")
	return slices.CompareFunc(digits.FindAllString(a, -1), digits.FindAllString(b, -1), func(a, b string) int {
		x, xErr := strconv.Atoi(a)
		y, yErr := strconv.Atoi(b)
		if xErr == nil && yErr == nil {
			return x - y
		}
		return slices.Compare([]rune(a), []rune(b))
	})
}

// TestPrint: a print of the report of 633 pools has only the summary, in light colours even with a
// dark colour scheme.
func TestPrint(t *testing.T) {
	b := start(t)
	for name, path := range pages(t) {
		b.open(path, 1280, "dark")
		sheets := b.print(name)
		assert.LessOrEqual(t, sheets, 3, name)
		b.run(emulation.SetEmulatedMedia().WithMedia("print").
			WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
		b.keep(name + "-print")
		assert.Equal(t, "rgb(31, 35, 40)", ask[string](b, "getComputedStyle(document.body).color"), name)
		assert.NotEmpty(t, ask[string](b, "document.querySelector('.lead').innerText"), name)
		assert.Empty(t, ask[[]string](b, overflowing), name)
		rows := "[...document.querySelectorAll('.rows')].filter(e => e.checkVisibility()).length"
		assert.Zero(t, ask[int](b, rows), "%s: of many pools only the sums are printed", name)
		causes := "[...document.querySelectorAll('.cause')].filter(e => e.checkVisibility()).length"
		assert.Equal(t, name == "few", ask[int](b, causes) > 0, "%s: only a few causes are printed", name)
	}
}

var sheet = regexp.MustCompile(`/Type\s*/Page\b[^s]`)

// print prints the page, and returns the number of sheets.
func (b *browser) print(name string) int {
	b.t.Helper()
	var document []byte
	b.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		document, _, err = page.PrintToPDF().Do(ctx)
		return err
	}))
	require.True(b.t, bytes.HasPrefix(document, []byte("%PDF-")))
	if *screens != "" {
		require.NoError(b.t, os.WriteFile(filepath.Join(*screens, name+".pdf"), document, 0o600))
	}
	sheets := len(sheet.FindAll(document, -1))
	require.Positive(b.t, sheets)
	return sheets
}
