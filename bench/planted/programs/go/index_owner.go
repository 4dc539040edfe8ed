// Sleeping lock: indexes documents; the index lies in a channel, and whoever received it is its only owner.
//
// The dial is the share of the documents that are split into words while the goroutine holds the index; all others are
// split before into a short list of the goroutine's own, and stay out of the index. A document takes about 30 us, so a
// goroutine that finds the channel empty is parked, and its thread sleeps. Nothing is allocated on the way.
package main

const (
	letters = 12000
	words   = 512
)

type index [words]uint32

// split makes a document's letters, and counts each word at the place of its hash.
func split(document int, counts *index) uint64 {
	x := unit(document, 4)
	var hash uint32 = 2166136261
	var sum uint64
	for range letters {
		x = x*6364136223846793005 + 1442695040888963407
		letter := byte(x >> 59)
		if letter < 6 {
			counts[hash%words]++
			sum += uint64(hash)
			hash = 2166136261
			continue
		}
		hash = (hash ^ uint32(letter)) * 16777619
	}
	return sum
}

func main() {
	arguments()
	owner := make(chan *index, 1)
	owner <- new(index)
	printAnswer(inThreads(func(thread int) uint64 {
		var sum uint64
		var own index
		for i := first(thread); i < first(thread+1); i++ {
			if picked(i) {
				shared := <-owner
				sum += split(i, shared)
				owner <- shared
			} else {
				sum += split(i, &own)
			}
		}
		return sum
	}))
}
