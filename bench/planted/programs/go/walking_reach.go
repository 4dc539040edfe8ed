// Imbalance: for every bus stop of a town, how many street cells can be walked to, and how far the last of them is.
//
// A stop has a catchment between a few dozen and some thousand cells, which a search with a bucket queue fills in order
// of walking time. The list of stops is cut into contiguous ranges, one for each goroutine. The dial is the share of the
// list that comes ordered by catchment, as a register by district would: its large stops all fall to the last range. In
// the rest, large and small stops alternate. The stops are the same at every dial, only their order differs.
package main

import "sync"

const (
	side     = 192
	buckets  = 16
	smallest = 24
	largest  = 2600
)

type stop struct{ cell, reach int }

// town returns the minutes it takes to cross every cell, 1 to 9.
func town() []uint8 {
	minutes := make([]uint8, side*side)
	seed := uint32(2463534242)
	for i := range minutes {
		seed ^= seed << 13
		seed ^= seed >> 17
		seed ^= seed << 5
		minutes[i] = uint8(1 + seed%9)
	}
	return minutes
}

// register lists the stops, by catchment as far as the dial goes.
func register(count int) []stop {
	stops := make([]stop, count)
	for i := range stops {
		at := float64(i) / float64(count)
		place := uint32(i)*2654435761 + 12345
		stops[i] = stop{int(place>>8) % (side * side), smallest + int(largest*at*at)}
	}
	alternate := false
	for low, high := 0, count-1; low < high; low, high = low+1, high-1 {
		if picked(low) {
			continue
		}
		if alternate {
			stops[low], stops[high] = stops[high], stops[low]
		}
		alternate = !alternate
	}
	return stops
}

// walker searches from one stop after another with the same memory.
type walker struct {
	minutes []uint8
	seen    []int32
	round   int32
	queue   [buckets][]int32
}

func newWalker(minutes []uint8) *walker {
	w := &walker{minutes: minutes, seen: make([]int32, side*side)}
	for i := range w.queue {
		w.queue[i] = make([]int32, 0, 1024)
	}
	return w
}

// reach fills a catchment, and returns a digest of the time to its last cell and of where its cells are.
func (w *walker) reach(from stop) uint64 {
	w.round++
	for i := range w.queue {
		w.queue[i] = w.queue[i][:0]
	}
	w.queue[0] = append(w.queue[0], int32(from.cell))
	digest, left, minute, empty := uint64(0), from.reach, 0, 0
	for left > 0 && empty < buckets {
		slot := minute % buckets
		if len(w.queue[slot]) == 0 {
			empty++
			minute++
			continue
		}
		empty = 0
		for i := 0; i < len(w.queue[slot]) && left > 0; i++ {
			cell := w.queue[slot][i]
			if w.seen[cell] == w.round {
				continue
			}
			w.seen[cell] = w.round
			left--
			digest = digest*31 + uint64(cell)
			for _, step := range [4]int32{-side, -1, 1, side} {
				next := cell + step
				if next < 0 || next >= side*side || w.seen[next] == w.round {
					continue
				}
				at := (minute + int(w.minutes[next])) % buckets
				w.queue[at] = append(w.queue[at], next)
			}
		}
		w.queue[slot] = w.queue[slot][:0]
		minute++
	}
	return digest ^ uint64(minute)<<40
}

func main() {
	arguments()
	minutes := town()
	stops := register(work)
	answers := make(chan uint64, threads)
	var walkers sync.WaitGroup
	for t := range threads {
		walkers.Add(1)
		go func(mine []stop) {
			defer walkers.Done()
			w, total := newWalker(minutes), uint64(0)
			for _, one := range mine {
				total += w.reach(one)
			}
			answers <- total
		}(stops[first(t):first(t+1)])
	}
	walkers.Wait()
	close(answers)
	var total uint64
	for one := range answers {
		total += one
	}
	printAnswer(total)
}
