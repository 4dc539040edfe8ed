// Imbalance: compares every read of a sequencer with all reads before it, by their edit distance.
//
// Read i has i reads before it, so late reads cost more than early ones. At dial 0 goroutines get consecutive reads
// with equally many pairs in all; at dial 1 they get equally many reads, so that the last goroutine has by far the most
// pairs; between them the cuts move in a straight line. There is one goroutine a thread. Reads are never changed, each
// goroutine has a row of its own for the distances, and nothing is allocated on the way.
package main

import "math"

const length = 24

type read [length]byte

// cut is the first read of a thread.
func cut(thread int) int {
	part := float64(thread) / float64(threads)
	return int(math.Round(float64(work) * ((1-dial)*math.Sqrt(part) + dial*part)))
}

// distance is the number of letters to change, add or remove between two reads.
func distance(a, b *read) int {
	var row [length + 1]int
	for k := range row {
		row[k] = k
	}
	for i, letter := range a {
		corner := row[0]
		row[0] = i + 1
		for k, other := range b {
			best := min(row[k], row[k+1]) + 1
			if letter == other {
				best = min(best, corner)
			} else {
				best = min(best, corner+1)
			}
			corner, row[k+1] = row[k+1], best
		}
	}
	return row[length]
}

func main() {
	arguments()
	reads := make([]read, work)
	for i := range reads {
		for k := range reads[i] {
			reads[i][k] = "ACGT"[unit(i*length+k, 3)>>62]
		}
	}
	printAnswer(inThreads(func(thread int) uint64 {
		var sum uint64
		for i := cut(thread); i < cut(thread+1); i++ {
			for k := range i {
				sum += uint64(i+1) * uint64(distance(&reads[i], &reads[k]))
			}
		}
		return sum
	}))
}
