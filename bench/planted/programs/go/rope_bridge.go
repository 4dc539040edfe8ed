// Rope bridge: the physics of a game. Every tick, solver goroutines take ropes from a channel and relax them (Verlet
// steps, then length constraints); when all of them are done, the referee swings the wind for the next tick.
// The dial is the share of the ropes that the referee keeps back, as "fragile", and relaxes himself after the solvers,
// who wait for the next tick. A rope costs the same in either place: only how much one goroutine does alone changes.
package main

import (
	"math"
	"sync"
)

const (
	ropeCount = 60
	links     = 48
	sweeps    = 12
)

type knot struct{ x, y, oldX, oldY float64 }

type rope struct {
	knots [links]knot
	slack float64
	_     [128]byte
}

type tick struct {
	wind float64
	rope *rope
}

func (r *rope) relax(wind float64) {
	k := &r.knots
	for i := 1; i < links; i++ {
		vx, vy := (k[i].x-k[i].oldX)*0.99, (k[i].y-k[i].oldY)*0.99
		k[i].oldX, k[i].oldY = k[i].x, k[i].y
		k[i].x += vx + wind*float64(i)/links*0.001
		k[i].y += vy + 0.002
	}
	for sweep := 0; sweep < sweeps; sweep++ {
		for i := 1; i < links; i++ {
			dx, dy := k[i].x-k[i-1].x, k[i].y-k[i-1].y
			length := math.Sqrt(dx*dx + dy*dy)
			pull := (length - r.slack) / (length + 1e-9) * 0.5
			if i == 1 {
				k[i].x -= 2 * pull * dx
				k[i].y -= 2 * pull * dy
				continue
			}
			k[i-1].x += pull * dx
			k[i-1].y += pull * dy
			k[i].x -= pull * dx
			k[i].y -= pull * dy
		}
	}
}

type bridge struct {
	ropes   []*rope
	jobs    chan tick
	pending sync.WaitGroup
}

func newBridge() *bridge {
	b := &bridge{jobs: make(chan tick, ropeCount)}
	for i := 0; i < ropeCount; i++ {
		r := &rope{slack: 0.9 + 0.002*float64(i)}
		for j := range r.knots {
			x := float64(j)
			r.knots[j] = knot{x, float64(i), x, float64(i)}
		}
		b.ropes = append(b.ropes, r)
	}
	return b
}

func (b *bridge) solver() {
	for job := range b.jobs {
		for step := 0; step < 20; step++ {
			job.rope.relax(job.wind)
		}
		b.pending.Done()
	}
}

func (b *bridge) run(ticks int) {
	wind, owed := 1.0, 0.0
	fragile := make([]*rope, 0, ropeCount)
	for t := 0; t < ticks; t++ {
		fragile = fragile[:0]
		for i := 0; i < ropeCount; i++ {
			r := b.ropes[(i+t*7)%ropeCount]
			owed += dial
			if owed >= 1 {
				owed--
				fragile = append(fragile, r)
				continue
			}
			b.pending.Add(1)
			b.jobs <- tick{wind, r}
		}
		b.pending.Wait()
		for _, r := range fragile {
			for step := 0; step < 20; step++ {
				r.relax(wind)
			}
		}
		tip := b.ropes[t%ropeCount].knots[links-1]
		wind = math.Sin(float64(t)*0.3) + 0.1*math.Sin(tip.x)
	}
	close(b.jobs)
}

func main() {
	arguments()
	b := newBridge()
	for i := 0; i < threads; i++ {
		go b.solver()
	}
	b.run(work)
	var sum uint64
	for _, r := range b.ropes {
		for _, k := range r.knots {
			sum = sum*31 + math.Float64bits(k.x) ^ math.Float64bits(k.y)>>7
		}
	}
	printAnswer(sum)
}
