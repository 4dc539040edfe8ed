// A warehouse: 40 robots, each a goroutine, fetch trips from the order list and plan the way through the trip's aisle
// (the cheapest path over a grid of shelves, by dynamic programming). Any share of the trips is planned while the
// mutex of the aisle is held, for about 0.1 ms.
//
// Decoy, no cause: the dial is the share of the trips that lock their aisle. Nearly all robots then wait for some lock
// at any time, but there are 16 aisles and 40 robots for few cpus, so that there are always enough robots who own an
// aisle and can run: it looks like a sleeping lock, and scales as without.
package main

import (
	"sync"
	"sync/atomic"
)

const (
	robots  = 40
	aisles  = 16
	shelves = 960
	lanes   = 48
)

type aisle struct {
	sync.Mutex
	planned int
	toll    [lanes]int32
	_       [128]byte
}

type warehouse struct {
	aisles [aisles]aisle
	orders atomic.Int64
	all    sync.WaitGroup
	total  atomic.Uint64
}

func scatter(x uint64) uint64 {
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	return x ^ x>>32
}

// plan returns the cost of the cheapest way along the shelves, with a step aside where that is cheaper.
func (a *aisle) plan(trip int) uint64 {
	var way, next [lanes + 2]int32
	seed := scatter(uint64(trip) + 99)
	way[0], way[lanes+1] = 1<<28, 1<<28
	next[0], next[lanes+1] = 1<<28, 1<<28
	for range shelves {
		for lane := 1; lane <= lanes; lane++ {
			seed = seed*6364136223846793005 + 1442695040888963407
			best := way[lane]
			if aside := way[lane-1] + 3; aside < best {
				best = aside
			}
			if aside := way[lane+1] + 3; aside < best {
				best = aside
			}
			next[lane] = best + int32(seed>>59) + a.toll[lane-1]
		}
		way, next = next, way
	}
	cost := way[1]
	for lane := 2; lane <= lanes; lane++ {
		cost = min(cost, way[lane])
	}
	return scatter(uint64(cost) ^ uint64(trip)<<20)
}

func (a *aisle) planAlone(trip int) uint64 {
	a.Lock()
	defer a.Unlock()
	a.planned++
	return a.plan(trip)
}

func (w *warehouse) robot() {
	defer w.all.Done()
	sum := uint64(0)
	for {
		trip := int(w.orders.Add(1) - 1)
		if trip >= work {
			break
		}
		where := &w.aisles[scatter(uint64(trip))%aisles]
		if picked(trip) {
			sum += where.planAlone(trip)
		} else {
			sum += where.plan(trip)
		}
	}
	w.total.Add(sum)
}

func main() {
	arguments()
	w := new(warehouse)
	for i := range w.aisles {
		for lane := range lanes {
			w.aisles[i].toll[lane] = int32(scatter(uint64(i*lanes+lane)) % 5)
		}
	}
	w.all.Add(robots)
	for range robots {
		go w.robot()
	}
	w.all.Wait()
	printAnswer(w.total.Load())
}
