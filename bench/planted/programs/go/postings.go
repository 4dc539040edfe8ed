// Garbage collection: answers searches in an index of words that stays on the heap as many small linked objects.
//
// A search is cut into terms, and the dial is the share of the searches whose terms become new objects on the heap;
// the others use again what their goroutine has. Each round of the collector must follow the whole index, and rounds
// are as many as the new objects ask for. One goroutine leaves the collector the other cpu (GOMAXPROCS stays as it
// is); two or more must share theirs with it and help it to mark.
package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	buckets = 1 << 15
	words   = 400000
	terms   = 96
	batch   = 50
)

type posting struct {
	next  *posting
	word  uint64
	score uint64
	title *string
}

type term struct {
	word, weight uint64
	next         *term
	found        *posting
	spare        [4]uint64
}

type index struct {
	heads [buckets]*posting
}

func scramble(x uint64) uint64 {
	x = (x ^ x>>31) * 0xD6E8FEB86659FD93
	return x ^ x>>29
}

// fill adds the words of some buckets; no other goroutine has these buckets.
func (at *index) fill(from, to int) {
	title := "title"
	for b := from; b < to; b++ {
		for w := b; w < words; w += buckets {
			at.heads[b] = &posting{at.heads[b], uint64(w), scramble(uint64(w) + 7), &title}
		}
	}
}

func (at *index) find(word uint64) *posting {
	one := at.heads[word%buckets]
	for one != nil && one.word != word {
		one = one.next
	}
	return one
}

// search links the terms of a search, and scores them. fresh says where terms come from.
func (at *index) search(number int, fresh func(i int) *term) uint64 {
	var list *term
	x := scramble(uint64(number) + 1)
	for i := range terms {
		x = scramble(x + uint64(i))
		one := fresh(i)
		one.word, one.weight, one.next = x%(words/16)*16, x>>56, list
		one.spare[0] = x
		list = one
	}
	var sum uint64
	for one := list; one != nil; one = one.next {
		one.found = at.find(one.word)
		y := one.weight + one.found.score
		for range 6 {
			y = scramble(y)
		}
		sum += y
	}
	return sum
}

func main() {
	arguments()
	runtime.GOMAXPROCS(runtime.NumCPU())
	var at index
	inThreads(func(thread int) uint64 {
		at.fill(buckets*thread/threads, buckets*(thread+1)/threads)
		return 0
	})
	var next atomic.Int64
	var wait sync.WaitGroup
	results := make(chan uint64, threads)
	for range threads {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var own [terms]term
			var sum uint64
			for {
				from := int(next.Add(batch)) - batch
				if from >= work {
					break
				}
				for i := from; i < min(from+batch, work); i++ {
					if picked(i) {
						sum += at.search(i, func(int) *term { return new(term) })
					} else {
						sum += at.search(i, func(k int) *term { return &own[k] })
					}
				}
			}
			results <- sum
		}()
	}
	wait.Wait()
	close(results)
	var sum uint64
	for one := range results {
		sum += one
	}
	printAnswer(sum)
}
