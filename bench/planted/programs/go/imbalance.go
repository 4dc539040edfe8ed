// Imbalance: sums units of arithmetic, of which the first goroutine gets more than the last.
//
// The dial d gives the first goroutine 1 + d times its fair part, the last 1 - d times, those between in a straight
// line. There is one goroutine a thread, nothing is shared, and nothing is allocated on the way.
package main

import "math"

const steps = 20000

// before is the number of units before a thread's first: the sum of 1 + d (1 - 2 k / (n - 1)) over the threads k
// before.
func before(thread int) int {
	k, n := float64(thread), float64(threads)
	fair := k
	if threads > 1 {
		fair = k*(1+dial) - dial*k*(k-1)/(n-1)
	}
	return int(math.Round(fair / n * float64(work)))
}

func main() {
	arguments()
	printAnswer(inThreads(func(thread int) uint64 {
		var sum uint64
		for i := before(thread); i < before(thread+1); i++ {
			sum += unit(i, steps)
		}
		return sum
	}))
}
