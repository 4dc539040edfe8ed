// True sharing: a packet filter that matches packets against a list of rules and counts the bytes it lets through.
//
// The dial is the share of packets that go to the meter all goroutines share, with one atomic add each; the others are
// added up by their goroutine first. The meter is one word that has its cache line to itself, so its line must move
// from cpu to cpu with each add of the other one. Nobody waits for a lock.
package main

import (
	"slices"
	"sync"
	"sync/atomic"
)

const (
	rules = 64
	burst = 2048
)

type rule struct {
	from   uint32
	accept bool
}

type meter struct {
	_     [128]byte
	bytes atomic.Uint64
	_     [128]byte
}

type filter struct {
	list  []rule
	total meter
}

func newFilter() *filter {
	f := new(filter)
	for i := range rules {
		at := uint64(i) * 0x9E3779B97F4A7C15
		f.list = append(f.list, rule{uint32(at >> 32), at>>20&3 != 0})
	}
	slices.SortFunc(f.list, func(a, b rule) int { return int(int64(a.from) - int64(b.from)) })
	return f
}

// accepts finds the last rule that begins at or before the address.
func (f *filter) accepts(address uint32) bool {
	low, span := 0, len(f.list)
	for span > 1 {
		half := span / 2
		if f.list[low+half].from <= address {
			low += half
		}
		span -= half
	}
	return f.list[low].accept
}

// run filters a burst of packets.
func (f *filter) run(number int, metered uint64) {
	var own uint64
	x := uint64(number)*0x9E3779B97F4A7C15 + 5
	for range burst {
		x = x*6364136223846793005 + 1442695040888963407
		size := x>>20&1023 + 64
		if !f.accepts(uint32(x >> 32)) {
			size = 1
		}
		if (x*0xD6E8FEB86659FD93)>>32 < metered {
			f.total.bytes.Add(size)
		} else {
			own += size
		}
	}
	f.total.bytes.Add(own)
}

func main() {
	arguments()
	f := newFilter()
	metered := uint64(dial * (1 << 32))
	var bursts atomic.Int64
	var wait sync.WaitGroup
	for range threads {
		wait.Go(func() {
			for {
				number := int(bursts.Add(1)) - 1
				if number >= work {
					return
				}
				f.run(number, metered)
			}
		})
	}
	wait.Wait()
	printAnswer(f.total.bytes.Load())
}
