// Serial part: counts short words (k-mers) in DNA reads, lane by lane; mappers count, one goroutine merges.
//
// Every read gives a mapper's future: its counts, or the read itself where the mapper leaves it for the merge. The dial
// is the share of reads left. The merge starts when all mappers of a lane are through, and counts what was left alone,
// while no other goroutine has anything to do. The reads are counted once at every dial.
package main

const (
	lanes  = 6
	length = 3000
	k      = 5
	kinds  = 1 << (2 * k)
)

type counts []uint32

type answer struct {
	own  counts
	left []int
}

// read counts the k-mers of a read, made up from its number, with the strand of lower order of both.
func (into counts) read(number int) {
	x := uint64(number)*0x9E3779B97F4A7C15 + 99
	forward, backward := uint32(0), uint32(0)
	for i := range length {
		x = x*6364136223846793005 + 1442695040888963407
		base := uint32(x >> 62)
		forward = (forward<<2 | base) & (kinds - 1)
		backward = backward>>2 | (3-base)<<(2*k-2)
		if i >= k-1 {
			into[min(forward, backward)]++
		}
	}
}

// mapper counts the reads from number from to number to.
func mapper(from, to int) <-chan answer {
	future := make(chan answer, 1)
	go func() {
		result := answer{own: make(counts, kinds)}
		for i := from; i < to; i++ {
			if picked(i) {
				result.left = append(result.left, i)
			} else {
				result.own.read(i)
			}
		}
		future <- result
	}()
	return future
}

func merge(parts []answer, total counts) {
	for _, part := range parts {
		for kind, n := range part.own {
			total[kind] += n
		}
		for _, number := range part.left {
			total.read(number)
		}
	}
}

func main() {
	arguments()
	total := make(counts, kinds)
	for lane := range lanes {
		begin, size := work*lane/lanes, work*(lane+1)/lanes-work*lane/lanes
		pieces := 8 * threads
		var futures []<-chan answer
		for p := range pieces {
			futures = append(futures, mapper(begin+size*p/pieces, begin+size*(p+1)/pieces))
		}
		var parts []answer
		for _, future := range futures {
			parts = append(parts, <-future)
		}
		merge(parts, total)
	}
	var sum uint64
	for kind, n := range total {
		sum = sum*31 + uint64(n)*uint64(kind+1)
	}
	printAnswer(sum)
}
