// Watches a catalogue of satellites: every epoch the screeners move all objects along their orbits and refine how near
// each comes to its neighbour; then the registrar alone goes through the list in order, books the near passes against
// the fuel that is left, and publishes the list that the next epoch starts from.
//
// The dial is the share of the passes that screeners leave open, for the registrar to refine before it books any. All
// screeners wait for the next epoch meanwhile: a serial part. A pass costs and gives the same, whoever refines it.
package main

import (
	"fmt"
	"math"
)

const (
	objects = 480
	inBlock = 8
	samples = 420 // of a pass that is refined
)

// An elements record says where an object is; its phase and fuel are what the registrar changes.
type elements struct {
	axis, tilt, node, rate, phase float64
	fuel                          int
}

// A pass is what is known about an object's next encounter.
type pass struct {
	guess float64
	open  bool
	miss  uint32
}

type block struct {
	epoch, begin int
}

type screened struct {
	begin  int
	passes [inBlock]pass
}

type catalogue struct {
	list   [objects]elements
	passes [objects]pass
	digest uint64
	moves  int
}

func newCatalogue() *catalogue {
	c := &catalogue{}
	for i := range c.list {
		x := unit(i, 3)
		share := func(shift int) float64 { return float64(x>>shift&0xffff) / 65536 }
		c.list[i] = elements{
			axis: 6900 + 900*share(0), tilt: math.Pi * share(12), node: 2 * math.Pi * share(24),
			rate: 0.9 + 0.3*share(36), phase: 2 * math.Pi * share(48), fuel: 40 + i%17,
		}
	}
	return c
}

func (e *elements) at(time float64) (x, y, z float64) {
	sin, cos := math.Sincos(e.phase + e.rate*time)
	sinTilt := e.tilt * (1 - e.tilt*e.tilt/24)
	flat := cos * math.Sqrt(math.Abs(1-sinTilt*sinTilt*0.1))
	return e.axis * (flat + 0.1*e.node), e.axis * sin, e.axis * sinTilt * sin
}

// refine samples the pass finely around its guess, and returns the least distance in metres.
func (c *catalogue) refine(i int, guess float64) uint32 {
	one, other := &c.list[i], &c.list[(i*7+3)%objects]
	least := math.Inf(1)
	for s := range samples {
		time := guess + float64(s-samples/2)*0.002
		x, y, z := one.at(time)
		u, v, w := other.at(time)
		least = min(least, (x-u)*(x-u)+(y-v)*(y-v)+(z-w)*(z-w))
	}
	return uint32(math.Sqrt(least) * 1000)
}

// screen looks at one block of the list, which nobody changes meanwhile.
func (c *catalogue) screen(b block) screened {
	done := screened{begin: b.begin}
	for k := range done.passes {
		i := b.begin + k
		best := math.Inf(1)
		for s := range 6 {
			time := float64(b.epoch) + float64(s)*0.15
			x, y, z := c.list[i].at(time)
			if far := math.Abs(x-5000) + math.Abs(y) + math.Abs(z); far < best {
				best, done.passes[k].guess = far, time
			}
		}
		if picked(b.epoch*objects + i) {
			done.passes[k].open = true
		} else {
			done.passes[k].miss = c.refine(i, done.passes[k].guess)
		}
	}
	return done
}

// register refines the passes that are open, and books those of the whole epoch in the order of the list.
func (c *catalogue) register() {
	for i := range c.passes {
		if p := &c.passes[i]; p.open {
			p.miss = c.refine(i, p.guess)
			p.open = false
		}
	}
	for i := range c.passes {
		miss := c.passes[i].miss
		c.digest = (c.digest ^ uint64(miss)) * 1099511628211
		if miss < 900_000 && c.list[i].fuel > 0 {
			c.list[i].fuel--
			c.list[i].phase += 0.003
			c.moves++
		}
	}
}

func main() {
	arguments()
	c := newCatalogue()
	todo := make(chan block, objects/inBlock)
	results := make(chan screened, objects/inBlock)
	for range threads {
		go func() {
			for b := range todo {
				results <- c.screen(b)
			}
		}()
	}
	published := make(chan struct{})
	go func() {
		defer close(published)
		for epoch := range work {
			for begin := 0; begin < objects; begin += inBlock {
				todo <- block{epoch, begin}
			}
			for range objects / inBlock {
				done := <-results
				copy(c.passes[done.begin:], done.passes[:])
			}
			c.register()
		}
		close(todo)
	}()
	<-published
	fmt.Printf("%d moves, catalogue %016x\n", c.moves, c.digest)
}
