// False sharing: each goroutine adds results of short units to sums of its own.
//
// The dial is the share of the blocks of 500 units whose sum is beside those of the other goroutines, on one cache line;
// all others have a sum on a line of its own. Sums are stored by plain instructions.
package main

import "sync/atomic"

const (
	steps = 12
	block = 500
	line  = 16
)

func main() {
	arguments()
	beside := make([]uint64, 2*line+threads)[line : line+threads]
	apart := make([]uint64, (threads+2)*line)
	printAnswer(inThreads(func(thread int) uint64 {
		for i := first(thread); i < first(thread+1); i++ {
			sum := &apart[(thread+1)*line]
			if picked(i) {
				sum = &beside[thread]
			}
			for k := range block {
				atomic.StoreUint64(sum, *sum+unit(i*block+k, steps))
			}
		}
		return beside[thread] + apart[(thread+1)*line]
	}))
}
