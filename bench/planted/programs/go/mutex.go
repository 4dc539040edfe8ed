// Sleeping lock: sums units of arithmetic, some of them while holding the one sync.Mutex.
//
// The dial is the share of the units that are computed under the lock. A unit takes about 50 us, far longer than the
// lock spins, so a goroutine that finds it taken is parked. Nothing is allocated: it is a decoy for garbage collection.
package main

import "sync"

const steps = 40000

func main() {
	arguments()
	var lock sync.Mutex
	printAnswer(inThreads(func(thread int) uint64 {
		var sum uint64
		for i := first(thread); i < first(thread+1); i++ {
			if picked(i) {
				lock.Lock()
				sum += unit(i, steps)
				lock.Unlock()
			} else {
				sum += unit(i, steps)
			}
		}
		return sum
	}))
}
