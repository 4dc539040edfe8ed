// Garbage collection: prices baskets of goods, each on paper of its own, beside a book of open orders in memory.
//
// The dial is the share of the orders that are objects of their own, which hang in one chain of pointers as in a plain
// queue; all others lie in one array and point to the next by its number, so that the collector has nothing to mark.
// The book has as many bytes at every dial, and baskets allocate the same. A chain is followed by one of the
// collector's threads at a time, and meanwhile goroutines that have allocated too much are stopped until it is done.
// There is no lock in the program, and nobody uses the book on the way.
package main

import "runtime"

const (
	steps  = 500
	orders = 200000
	goods  = 96
	kept   = 16
)

type order struct {
	next   *order
	number uint64
	amount uint64
}

type numbered struct {
	next   uint64
	number uint64
	amount uint64
}

// book makes the orders.
func book() (*order, []numbered) {
	chained := int(dial * orders)
	var last *order
	for number := range chained {
		last = &order{last, uint64(number), uint64(number) * 7 % 1000}
	}
	array := make([]numbered, orders-chained)
	for at := range array {
		array[at] = numbered{uint64(at), uint64(chained + at), uint64(chained+at) * 7 % 1000}
	}
	return last, array
}

// filled makes a basket.
func filled(number int) []uint64 {
	basket := make([]uint64, goods)
	x := unit(number, steps)
	for at := range basket {
		basket[at] = x >> (at % 32)
	}
	return basket
}

func main() {
	arguments()
	last, array := book()
	runtime.GC() // so that the collector knows from the start how much lives
	printAnswer(inThreads(func(thread int) uint64 {
		var sum uint64
		var recent [kept][]uint64
		for i := first(thread); i < first(thread+1); i++ {
			basket := filled(i)
			recent[i%len(recent)] = basket
			price := uint64(i)
			for _, amount := range basket {
				price = price*31 + amount
			}
			sum += price
		}
		return sum
	}))
	runtime.KeepAlive(last)
	runtime.KeepAlive(array)
}
