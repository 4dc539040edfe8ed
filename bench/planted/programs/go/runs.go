// Instruction growth: a store of counted events; every goroutine wrote a sorted run of its own, and queries search runs.
//
// The dial is the share of the queries that search the run of every goroutine and add what they find, as a store does
// before its runs are merged; all others search the one run that holds everything. Together the runs are as long as that
// one, and only read, so nobody waits and no line moves: a query simply has to search more often, also on one cpu.
package main

import (
	"slices"
)

const (
	steps  = 40
	events = 4096
)

type counted struct {
	key   uint32
	count uint32
}

type sorted []counted

func event(number int) uint32 { return uint32(unit(number, 8)>>40) % 100000 }

// written returns the sorted run of some of the events. An event's count is its number.
func written(from, to int) sorted {
	run := make(sorted, 0, to-from)
	for number := from; number < to; number++ {
		run = append(run, counted{event(number), uint32(number)})
	}
	slices.SortFunc(run, func(a, b counted) int { return int(a.key) - int(b.key) })
	return run
}

// search adds the counts of all events with a key.
func (run sorted) search(key uint32) uint64 {
	low, high := 0, len(run)
	for low < high {
		if middle := (low + high) / 2; run[middle].key < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	var sum uint64
	for ; low < len(run) && run[low].key == key; low++ {
		sum += uint64(run[low].count)
	}
	return sum
}

func main() {
	arguments()
	runs := make([]sorted, threads)
	inThreads(func(thread int) uint64 {
		runs[thread] = written(events*thread/threads, events*(thread+1)/threads)
		return 0
	})
	merged := []sorted{written(0, events)}
	printAnswer(inThreads(func(thread int) uint64 {
		var sum uint64
		for i := first(thread); i < first(thread+1); i++ {
			searched := merged
			if picked(i) {
				searched = runs
			}
			key := event(int(unit(i, steps) >> 52))
			for _, run := range searched {
				sum += run.search(key)
			}
		}
		return sum
	}))
}
