package timeline

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// Plots returns plots.svg: the clients' operations per second of virtual time
// by outcome, and their latency, with the faults shaded behind. The error
// comes from reading the trace.
func Plots(a *artifact.Artifact) ([]byte, error) {
	c, err := chronicleOf(a)
	if err != nil {
		return nil, err
	}
	return plotsOf(a, c).file("Operations of clients over virtual time"), nil
}

const (
	plotLeft, plotRight = 64.0, 16.0
	plotWidth           = 1400.0
	plotBins            = 100
	maxDots             = 1500
	maxShades           = 400
	rateTop, rateHigh   = 90.0, 120.0
	slowTop, slowHigh   = 246.0, 120.0
)

// plots draws both, on one scale of time.
type plots struct {
	svg
	ops []history.Operation
	c   *chronicle
	end float64
}

func plotsOf(a *artifact.Artifact, c *chronicle) *svg {
	p := &plots{ops: a.Operations, c: c, end: math.Max(float64(c.end), 1)}
	p.width, p.height = plotWidth, 400
	p.shade()
	p.rates()
	p.latencies()
	p.axis()
	if f := a.Report.Failure; f != nil {
		x := p.x(float64(f.Time))
		p.line(x, rateTop-28, x, slowTop+slowHigh, "lost")
		p.text(x-5, slowTop-12, "failtext small", "end", "failure")
	}
	return &p.svg
}

func (p *plots) x(t float64) float64 {
	return plotLeft + (plotWidth-plotLeft-plotRight)*math.Min(math.Max(t/p.end, 0), 1)
}

// area is the part of the system that a kind of fault acts on: a colour.
func area(kind string) string {
	switch kind {
	case "kill", "power-loss", "pause", "crash-loop", "crash-recovery", "lose-node", "leave", "join", "upgrade", "slow-node", "outage":
		return "process"
	case "sync-fail", "write-fail", "read-fail", "slow-disk", "stall-disk", "full-disk", "read-only-disk", "corrupt", "wipe-disk", "swap-disks":
		return "disk"
	case "clock-step", "clock-offset", "clock-step-down", "clock-strobe", "clock-freeze", "clock-tick", "timer-error", "clock-drift":
		return "clock"
	}
	return "net"
}

// shade draws a bar for each fault at the top, and a wash behind both plots
// while any fault holds.
func (p *plots) shade() {
	faults := p.c.faults[max(0, len(p.c.faults)-maxShades):]
	rows := []float64{}
	washed, crowded := 0.0, 0
	for i := range faults {
		f := &faults[i]
		from, until := p.x(float64(f.from)), p.x(float64(f.until))
		until = math.Max(until, from+1.5)
		tip := fmt.Sprintf("%s %s, %v to %v", f.kind, f.nodes, f.from, f.until)
		if left := math.Max(from, washed); until > left {
			p.rect(left, rateTop, until-left, slowTop+slowHigh-rateTop, "wash", "")
			washed = until
		}
		row := slices.IndexFunc(rows, func(end float64) bool { return end < from })
		if row < 0 {
			if len(rows) == 5 {
				crowded++
				continue
			}
			row = len(rows)
			rows = append(rows, 0)
		}
		rows[row] = until + 1
		p.rect(from, 14+float64(row)*8, until-from, 5, area(f.kind), tip)
	}
	p.text(plotLeft-8, 21, "quiet small", "end", "faults")
	if n := len(p.c.faults) - len(faults); n > 0 {
		p.text(plotLeft, 10, "quiet small", "start", fmt.Sprintf("the last %d faults; %d earlier ones are not shaded", len(faults), n))
	}
	if crowded > 0 {
		p.text(plotWidth-plotRight, 10, "quiet small", "end", plural(crowded, "fault")+" at the same time as others without a bar")
	}
}

// rates draws stacked bars: when operations ended, and how.
func (p *plots) rates() {
	order := []history.Status{history.OK, history.Fail, history.Unknown, history.Pending}
	counts := make([][4]float64, plotBins)
	for i := range p.ops {
		at := float64(p.ops[i].Return.Time)
		if !p.ops[i].Done() {
			at = p.end
		}
		counts[p.bin(at)][slices.Index(order, p.ops[i].Status)&3]++
	}
	second := p.end / plotBins / 1e9
	most := 0.0
	for i := range counts {
		most = math.Max(most, (counts[i][0]+counts[i][1]+counts[i][2]+counts[i][3])/second)
	}
	most = nice(most)
	p.frame(rateTop, rateHigh, "operations/s", fmt.Sprint(most), "0")
	width := (plotWidth - plotLeft - plotRight) / plotBins
	for i := range counts {
		y := rateTop + rateHigh
		for j, status := range order {
			h := counts[i][j] / second / most * rateHigh
			if h > 0 {
				y -= h
				tip := fmt.Sprintf("%v %s between %v and %v", counts[i][j], status, p.edge(i), p.edge(i+1))
				p.rect(plotLeft+float64(i)*width+0.5, y, width-1, h, string(status), tip)
			}
		}
	}
	x := plotWidth - plotRight - 300
	for _, status := range order {
		p.rect(x, rateTop-21, 9, 9, string(status), "")
		p.text(x+13, rateTop-13, "small quiet", "start", string(status))
		x += 76
	}
}

func (p *plots) edge(i int) kernel.Time { return kernel.Time(p.end / plotBins * float64(i)) }

func (p *plots) bin(at float64) int {
	return min(max(int(at/p.end*plotBins), 0), plotBins-1)
}

// latencies draws how long operations took on a logarithmic scale: a dot each,
// or, when there are too many, median and maximum over time.
func (p *plots) latencies() {
	bins := make([][]float64, plotBins)
	low, high, done := math.Inf(1), 0.0, 0
	for i := range p.ops {
		if d := took(&p.ops[i]); d > 0 {
			done++
			low, high = math.Min(low, d), math.Max(high, d)
			b := p.bin(float64(p.ops[i].Return.Time))
			bins[b] = append(bins[b], d)
		}
	}
	if done == 0 {
		p.frame(slowTop, slowHigh, "latency", "", "")
		p.text(plotLeft+8, slowTop+20, "quiet", "start", "No operation has ended.")
		return
	}
	bottom, top := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high)+1e-9)
	top = math.Max(top, bottom+1)
	y := func(d float64) float64 { return slowTop + slowHigh*(1-(math.Log10(d)-bottom)/(top-bottom)) }
	p.frame(slowTop, slowHigh, "latency", time.Duration(math.Pow(10, top)).String(), time.Duration(math.Pow(10, bottom)).String())
	for e := bottom + 1; e < top; e++ {
		p.line(plotLeft, y(math.Pow(10, e)), plotWidth-plotRight, y(math.Pow(10, e)), "rule")
	}
	if done <= maxDots {
		for i := range p.ops {
			if op := &p.ops[i]; took(op) > 0 {
				p.printf(`<circle cx="%s" cy="%s" r="2.2" class="%s">%s</circle>`, coord(p.x(float64(op.Return.Time))), coord(y(took(op))), op.Status, hint(shorten(op.String(), maxValue)))
			}
		}
		return
	}
	p.curve(bins, y, "median", func(sorted []float64) float64 { return sorted[len(sorted)/2] })
	p.curve(bins, y, "worst", func(sorted []float64) float64 { return sorted[len(sorted)-1] })
	p.text(plotLeft+4, slowTop+12, "quiet small", "start", "blue: median; orange: maximum")
}

func took(op *history.Operation) float64 {
	if !op.Done() {
		return 0
	}
	return float64(op.Return.Time - op.Invoke.Time)
}

func (p *plots) curve(bins [][]float64, y func(float64) float64, class string, pick func([]float64) float64) {
	d, pen := "", "M"
	for i, values := range bins {
		if len(values) == 0 {
			pen = "M"
			continue
		}
		slices.Sort(values)
		d += fmt.Sprintf("%s%s %s ", pen, coord(p.x(p.end/plotBins*(float64(i)+0.5))), coord(y(pick(values))))
		pen = "L"
	}
	p.printf(`<path d="%s" class="%s"/>`, d, class)
}

func (p *plots) frame(top, high float64, title, most, least string) {
	p.text(plotLeft, top-14, "small", "start", title)
	p.line(plotLeft, top, plotWidth-plotRight, top, "rule")
	p.line(plotLeft, top+high, plotWidth-plotRight, top+high, "axis")
	p.text(plotLeft-8, top+4, "quiet small", "end", most)
	p.text(plotLeft-8, top+high+4, "quiet small", "end", least)
}

func (p *plots) axis() {
	step := nice(p.end / 10)
	for t := 0.0; t <= p.end; t += step {
		x := p.x(t)
		p.line(x, slowTop+slowHigh, x, slowTop+slowHigh+5, "axis")
		p.text(x, slowTop+slowHigh+20, "quiet small", "middle", kernel.Time(t).String())
	}
}

// nice rounds up to 1, 2 or 5 times a power of ten.
func nice(v float64) float64 {
	if v <= 0 {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*p*(1+1e-9) {
			return m * p
		}
	}
	return 10 * p
}
