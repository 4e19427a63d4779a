package simnet

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// What is held up in whatever way arrives by the moment, and not earlier than
// it would; what is sent later is left alone.
func TestSettleBy(t *testing.T) {
	for name, row := range map[string]struct {
		link Link
		late int // arrivals after 50 ms when nothing settles
	}{
		"late copies": {Link{Latency: ms, Late: million, LateBy: 10 * time.Second}, 20},
		"delays":      {Link{Latency: ms, Delay: million, LongDelay: 10 * time.Second}, 20},
		"a queue":     {Link{Latency: ms, Bandwidth: 100}, 20},
	} {
		for _, settles := range []bool{false, true} {
			c := newCluster(t, kernel.Config{Seed: 1}, Config{Link: row.link}, "a", "b")
			if settles {
				c.net.SettleBy(kernel.Time(50 * ms))
			}
			early, late := 0, 0
			c.on = func(string, string, any) {
				if c.sim.Now() <= kernel.Time(51*ms) {
					early++
				} else {
					late++
				}
			}
			for i := range 20 {
				c.at(1+i, func() { c.send("a", "b", i) })
			}
			c.run()
			if settles && late > 0 || !settles && late < row.late-4 || early+late < 20 {
				t.Errorf("%s, settles %v: %d arrivals in time, %d later", name, settles, early, late)
			}
			c = newCluster(t, kernel.Config{Seed: 1}, Config{Link: row.link}, "a", "b")
			c.net.SettleBy(kernel.Time(ms))
			after := 0
			c.on = func(string, string, any) {
				if c.sim.Now() > kernel.Time(60*ms) {
					after++
				}
			}
			for range 20 {
				c.at(50, func() { c.send("a", "b", 1) })
			}
			c.run()
			if after < 15 {
				t.Errorf("%s: of what is sent afterwards %d arrivals are late, want nearly all", name, after)
			}
		}
	}
}
