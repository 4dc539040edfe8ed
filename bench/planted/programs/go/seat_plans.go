// Sleeping lock: seating plans for the banquets of a hotel.
//
// A plan seats 24 guests around a table and exchanges neighbours while that pleases more of them: one to two hundred
// microseconds. A banquet in the great hall is planned while holding the hall's book, so that no two planners give the
// hall away at once; one that finds it taken sleeps. The dial is the share of the banquets in the great hall.
package main

import "sync"

const guests = 24

type table struct {
	likes [guests][guests]int16
	seat  [guests]uint8
}

type hall struct {
	sync.Mutex
	pleased uint64
}

type dice uint64

func (d *dice) roll(sides int) int {
	x := *d
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	*d = x
	return int(uint64(x) >> 33 * uint64(sides) >> 31)
}

func (t *table) invite(d *dice) {
	for a := range guests {
		t.seat[a] = uint8(a)
		for b := range a {
			like := int16(d.roll(41) - 20)
			t.likes[a][b], t.likes[b][a] = like, like
		}
	}
}

func (t *table) around(at int) int {
	me, left, right := t.seat[at], t.seat[(at+guests-1)%guests], t.seat[(at+1)%guests]
	return int(t.likes[me][left]) + int(t.likes[me][right])
}

func (t *table) improve(d *dice, tries int) uint64 {
	for range tries {
		a, b := d.roll(guests), d.roll(guests)
		before := t.around(a) + t.around(b)
		t.seat[a], t.seat[b] = t.seat[b], t.seat[a]
		if t.around(a)+t.around(b) < before {
			t.seat[a], t.seat[b] = t.seat[b], t.seat[a]
		}
	}
	var code uint64
	for at, guest := range t.seat {
		code = code*31 + uint64(guest) + uint64(t.around(at)+64)
	}
	return code
}

func (t *table) plan(banquet int) uint64 {
	d := dice(uint64(banquet)*0x9E3779B97F4A7C15 + 0x1234567)
	t.invite(&d)
	return t.improve(&d, 3500+d.roll(4000))
}

func planner(great *hall, from, to int) (pleased uint64) {
	var t table
	for banquet := from; banquet < to; banquet++ {
		if picked(banquet) {
			great.Lock()
			great.pleased += t.plan(banquet)
			great.Unlock()
		} else {
			pleased += t.plan(banquet)
		}
	}
	return pleased
}

func main() {
	arguments()
	var great hall
	pleased := inThreads(func(thread int) uint64 {
		return planner(&great, first(thread), first(thread+1))
	})
	printAnswer(pleased + great.pleased)
}
