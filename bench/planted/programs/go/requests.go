// Garbage collection: answers requests, each of which allocates a few objects; some stay in a cache of the goroutine.
//
// The dial is the share of the cache's places that are used. A request that belongs to another place is garbage at once,
// so the same is allocated at every dial. The heap has a limit, as GOMEMLIMIT sets it in a container: the more lives, the
// more often the collector runs, and the more it has to mark, beside the goroutines that use all cpus already. Each
// goroutine has a cache of its own, so what lives grows with the threads. There is no lock in the program, and the heap's
// pages are touched before, so that few are made on the way.
package main

import (
	"runtime"
	"runtime/debug"
)

const (
	steps  = 320
	places = 60000
	limit  = 24 << 20
)

type header struct {
	next *header
	key  uint64
}

type request struct {
	headers *header
	body    [8]uint64
}

// parse makes a request with three headers.
func parse(number int) *request {
	made := &request{}
	x := unit(number, steps)
	for k := range 3 {
		made.headers = &header{made.headers, x >> k}
	}
	made.body[number%8] = x
	return made
}

func answer(asked *request) uint64 {
	var sum uint64
	for one := asked.headers; one != nil; one = one.next {
		sum = sum*31 + one.key
	}
	for _, word := range asked.body {
		sum += word
	}
	return sum
}

// touch makes the pages of a thread's part of the heap.
func touch(int) uint64 {
	heap := make([]byte, limit*3/4/threads)
	for at := 0; at < len(heap); at += 4096 {
		heap[at] = 1
	}
	return 0
}

func main() {
	arguments()
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(limit)
	inThreads(touch)
	runtime.GC()
	used := int(dial * places)
	printAnswer(inThreads(func(thread int) uint64 {
		cache := make([]*request, places)
		var sum uint64
		for i := first(thread); i < first(thread+1); i++ {
			made := parse(i)
			if place := i % places; place < used {
				cache[place] = made
			}
			sum += answer(made)
		}
		return sum
	}))
}
