// True sharing: counts odd results of short units by atomic additions.
//
// The dial is the share of the blocks of 500 additions that go to the one counter of all goroutines; all others go to a
// counter of the goroutine's own, on its own cache line.
package main

import "sync/atomic"

const (
	steps = 12
	block = 500
)

func main() {
	arguments()
	type line struct {
		_     [128]byte
		count atomic.Uint64
	}
	counters := make([]line, threads+1)
	inThreads(func(thread int) uint64 {
		for i := first(thread); i < first(thread+1); i++ {
			counter := &counters[thread].count
			if picked(i) {
				counter = &counters[threads].count
			}
			for k := range block {
				counter.Add(unit(i*block+k, steps) >> 40 & 1)
			}
		}
		return 0
	})
	var sum uint64
	for i := range counters {
		sum += counters[i].count.Load()
	}
	printAnswer(sum)
}
