// A rail enquiry office: desks take batches of requests from a queue and search the timetable for the earliest arrival
// (a scan over all connections, for several departures). The timetable is behind one RWMutex: enquiries search under
// its read lock, which desks share; bookings need the trains to stand still, and search under its write lock.
//
// The dial is the share of the requests that are bookings, the same search with the same answer. A search takes about
// 0.2 ms, far longer than locks spin, so a desk beside a booking is parked until it is done (or waits for the other
// desk's enquiry to end before it may book): a sleeping lock. One desk takes the same locks, and never waits.
package main

import "sync"

const (
	stops       = 192
	connections = 9000
	departures  = 8
	batchSize   = 4
	never       = int32(1) << 30
)

type connection struct {
	from, to         int32
	departs, arrives int32
}

type timetable struct {
	sync.RWMutex
	runs   []connection
	booked map[int32]int
}

type request struct {
	number   int
	from, to int32
	earliest int32
}

func mix(x uint64) uint64 {
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	return x ^ x>>32
}

// newTimetable makes the connections of a day, in the order of their departures.
func newTimetable() *timetable {
	table := &timetable{runs: make([]connection, connections), booked: make(map[int32]int, stops)}
	for i := range table.runs {
		r := mix(uint64(i) + 77)
		from := int32(r % stops)
		hop := int32(1 + r>>20%11)
		departs := int32(i * 1440 / connections)
		table.runs[i] = connection{from, (from + hop*hop) % stops, departs, departs + 3 + 4*hop}
	}
	for stop := range int32(stops) {
		table.booked[stop] = 0
	}
	return table
}

// earliest scans the connections once. Its caller holds the lock, for reading at least.
func (table *timetable) earliest(ask request, leave int32) uint64 {
	var at [stops]int32
	for i := range at {
		at[i] = never
	}
	at[ask.from] = leave
	changes := uint64(0)
	for i := range table.runs {
		run := &table.runs[i]
		if at[run.from] <= run.departs && run.arrives < at[run.to] {
			at[run.to] = run.arrives
			changes++
		}
	}
	return mix(uint64(at[ask.to])<<16 ^ changes<<40 ^ uint64(leave))
}

// search is one piece of code for both kinds of request, so that the dial changes only the lock.
//
//go:noinline
func (table *timetable) search(ask request) uint64 {
	found := uint64(0)
	for i := range int32(departures) {
		found += table.earliest(ask, ask.earliest+i*45)
	}
	return found
}

func (table *timetable) enquire(ask request) uint64 {
	table.RLock()
	defer table.RUnlock()
	return table.search(ask)
}

func (table *timetable) book(ask request) uint64 {
	table.Lock()
	defer table.Unlock()
	found := table.search(ask)
	table.booked[ask.from]++
	return found
}

func frontDoor(queue chan<- [batchSize]request) {
	for i := 0; i < work; i += batchSize {
		var batch [batchSize]request
		for j := range batch {
			r := mix(uint64(i+j)*0x9E3779B97F4A7C15 + 5)
			batch[j] = request{i + j, int32(r % stops), int32(r >> 20 % stops), int32(r >> 40 % 600)}
		}
		queue <- batch
	}
	close(queue)
}

func desk(table *timetable, queue <-chan [batchSize]request, totals chan<- uint64) {
	total := uint64(0)
	for batch := range queue {
		for _, ask := range batch {
			if ask.number >= work {
				continue
			}
			if picked(ask.number) {
				total += table.book(ask)
			} else {
				total += table.enquire(ask)
			}
		}
	}
	totals <- total
}

func main() {
	arguments()
	table := newTimetable()
	queue := make(chan [batchSize]request, 512)
	totals := make(chan uint64)
	go frontDoor(queue)
	for range threads {
		go desk(table, queue, totals)
	}
	sum := uint64(0)
	for range threads {
		sum += <-totals
	}
	printAnswer(sum)
}
