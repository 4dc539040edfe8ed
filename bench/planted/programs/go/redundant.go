// Instruction growth: sums units of arithmetic, some of which every goroutine computes for itself.
//
// The dial is the share of the units that all goroutines compute, as programs do that fill a table of their own in each
// thread. Only one of them adds the result.
package main

const steps = 20000

func main() {
	arguments()
	printAnswer(inThreads(func(thread int) uint64 {
		var sum, ignored uint64
		for i := range work {
			mine := i >= first(thread) && i < first(thread+1)
			switch {
			case mine:
				sum += unit(i, steps)
			case picked(i):
				ignored |= unit(i, steps)
			}
		}
		if ignored == 1 {
			panic("no unit gives 1")
		}
		return sum
	}))
}
