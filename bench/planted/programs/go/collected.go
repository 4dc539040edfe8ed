// Garbage collection: sums units of arithmetic that allocate, beside a live list that the collector has to walk.
//
// The dial is the share of the units that allocate a new buffer; all others use one that the goroutine keeps. Each
// collection marks a long linked list, which only one collector thread at a time can follow. Goroutines that allocate
// too fast have to help or to wait until it is done. There is no lock in the program.
package main

import "runtime"

const (
	steps = 4000
	bytes = 16 << 10
	live  = 300000
)

type node struct {
	next *node
	pad  [6]uint64
}

func list() *node {
	var head *node
	for range live {
		head = &node{next: head}
	}
	return head
}

func fill(buffer []byte, number int) uint64 {
	for i := 0; i < len(buffer); i += 64 {
		buffer[i] = byte(number)
	}
	return uint64(buffer[number%len(buffer)/64*64])
}

func main() {
	arguments()
	head := list()
	printAnswer(inThreads(func(thread int) uint64 {
		var sum uint64
		kept := make([]byte, bytes)
		for i := first(thread); i < first(thread+1); i++ {
			buffer := kept
			if picked(i) {
				buffer = make([]byte, bytes, bytes+i%2)
			}
			sum += fill(buffer, i) + unit(i, steps)
		}
		return sum
	}))
	runtime.KeepAlive(head)
}
