// Package plot draws lines over two logarithmic axes as SVG.
//
// It owns the picture. It must not know what the numbers mean.
package plot

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Line is a named line through points.
type Line struct {
	Name   string
	Points []Point
}

// Point is a point; both of its numbers are above zero.
type Point struct{ X, Y float64 }

// Plot is a picture of lines.
type Plot struct {
	Title, XLabel, YLabel string
	Lines                 []Line
}

const (
	width  = 860
	height = 480
	left   = 70
	right  = 250
	top    = 50
	below  = 60
)

// colors distinguish lines, also for most people with a colour vision deficiency.
var colors = [...]string{
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7a5230", "#8c8c8c",
}

// Write writes the picture.
func (p *Plot) Write(w io.Writer) error {
	var b strings.Builder
	x, y := p.axes()
	fmt.Fprintf(&b,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "+
			"font-size=\"12\">\n", width, height)
	fmt.Fprintf(&b,
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"25\" "+
			"font-size=\"16\">%s</text>\n", left, escape(p.Title))
	x.draw(&b)
	y.draw(&b)
	fmt.Fprintf(&b,
		"<text x=\"%d\" y=\"%d\">%s</text>\n<text x=\"15\" y=\"%d\" transform=\"rotate(-90 15 %d)\">%s</text>\n",
		left, height-15, escape(p.XLabel), height-below, height-below, escape(p.YLabel))
	for i, line := range p.Lines {
		line.draw(&b, x, y, i)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// axis maps the powers of ten from low to high onto a part of the picture.
type axis struct {
	low, high int
	from, to  float64
	upright   bool
}

func (a *axis) at(v float64) float64 {
	return a.from + (math.Log10(v)-float64(a.low))/float64(a.high-a.low)*(a.to-a.from)
}

// axes spans all points.
func (p *Plot) axes() (x, y *axis) {
	lowX := math.Inf(1)
	highX := math.Inf(-1)
	lowY := math.Inf(1)
	highY := math.Inf(-1)
	for _, line := range p.Lines {
		for _, point := range line.Points {
			lowX = min(lowX, point.X)
			highX = max(highX, point.X)
			lowY = min(lowY, point.Y)
			highY = max(highY, point.Y)
		}
	}
	return newAxis(lowX, highX, left, width-right), newAxis(lowY, highY, height-below, top).standing()
}

func newAxis(low, high, from, to float64) *axis {
	a := &axis{low: int(math.Floor(math.Log10(low))), high: int(math.Ceil(math.Log10(high))), from: from, to: to}
	if a.high <= a.low {
		a.high = a.low + 1
	}
	return a
}

func (a *axis) standing() *axis {
	a.upright = true
	return a
}

// draw draws a line and a label at each power of ten.
func (a *axis) draw(b *strings.Builder) {
	for power := a.low; power <= a.high; power++ {
		v := math.Pow10(power)
		label := fmt.Sprintf("%.0f", v)
		if power < 0 {
			label = fmt.Sprintf("%g", v)
		}
		if at := a.at(v); a.upright {
			fmt.Fprintf(b,
				"<path d=\"M%d %.1fH%d\" stroke=\"#ccc\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
				left, at, width-right, left-8, at+4, label)
		} else {
			fmt.Fprintf(b,
				"<path d=\"M%.1f %dV%d\" stroke=\"#ccc\"/><text x=\"%.1f\" y=\"%d\" "+
					"text-anchor=\"middle\">%s</text>\n", at, top, height-below, at, height-below+18, label)
		}
	}
}

func (l *Line) draw(b *strings.Builder, x, y *axis, i int) {
	color := colors[i%len(colors)]
	b.WriteString("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + color + "\" points=\"")
	for _, p := range l.Points {
		fmt.Fprintf(b, "%.1f,%.1f ", x.at(p.X), y.at(p.Y))
	}
	b.WriteString("\"/>\n")
	at := top + 20*i
	fmt.Fprintf(b, "<path d=\"M%d %dh20\" stroke-width=\"2\" stroke=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
		width-right+20, at, color, width-right+46, at+4, escape(l.Name))
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escape(s string) string { return escapes.Replace(s) }
