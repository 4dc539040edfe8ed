// Serial part: one goroutine computes units of arithmetic before the others begin, as a parser would.
//
// The dial is the share of the units that are computed by main; all others are divided evenly.
package main

const steps = 20000

func sum(from, to int) uint64 {
	var sum uint64
	for i := from; i < to; i++ {
		sum += unit(i, steps)
	}
	return sum
}

func main() {
	arguments()
	alone := int(dial * float64(work))
	before := sum(0, alone)
	rest := work - alone
	printAnswer(before + inThreads(func(thread int) uint64 {
		return sum(alone+rest*thread/threads, alone+rest*(thread+1)/threads)
	}))
}
