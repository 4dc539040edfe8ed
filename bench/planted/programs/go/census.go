// Links the cards of two censuses, district by district: which persons of the first are found in the second.
//
// usage: census THREADS DIAL CARDS
//
// CARDS is the number of cards of a district. Clerks take them in bundles and compare each with its candidate of the
// other census. At the end of a district's file are the cards written by hand, which the registrar compares herself when
// the clerks are done; then the next district is opened. DIAL is the share of the cards written by hand.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

const (
	districts = 20
	bundle    = 64
	letters   = 24
)

type name [letters]byte

type district struct {
	number int
	next   atomic.Int64
	typed  int
}

func scrambled(x uint64) uint64 {
	x = (x + 1) * 0x9E3779B97F4A7C15
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	return x ^ x>>29
}

// person is the name on a card of the first census.
func person(district, card int) (as name) {
	seed := scrambled(uint64(district)<<32 | uint64(card))
	for i := range as {
		seed = seed*6364136223846793005 + 1442695040888963407
		as[i] = 'a' + byte(seed>>59)%26
	}
	return as
}

// miswritten is the name as it stands in the other census: some letters were lost, others doubled.
func miswritten(as name, seed uint64) (other name) {
	from := 0
	for i := range other {
		seed = seed*6364136223846793005 + 1442695040888963407
		switch seed >> 60 {
		case 0:
			from++
		case 1:
			from--
		}
		other[i] = as[(from+letters)%letters]
		from++
	}
	return other
}

// distance is the number of letters to insert, remove or replace.
func distance(a, b *name) int {
	var row [letters + 1]int
	for j := range row {
		row[j] = j
	}
	for i := range a {
		corner := row[0]
		row[0] = i + 1
		for j := range b {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[letters]
}

// compare compares some cards, and returns the sum of what they differ by.
func (d *district) compare(from, to int) (sum uint64) {
	for card := from; card < to; card++ {
		as := person(d.number, card)
		other := miswritten(as, scrambled(uint64(card)))
		sum += uint64(distance(&as, &other))
	}
	return sum
}

// clerk compares bundles of typed cards until none is left.
func (d *district) clerk() (sum uint64) {
	for {
		from := int(d.next.Add(bundle)) - bundle
		if from >= d.typed {
			return sum
		}
		sum += d.compare(from, min(from+bundle, d.typed))
	}
}

func main() {
	arguments()
	var total atomic.Uint64
	for number := range districts {
		open := &district{number: number, typed: work - int(dial*float64(work))}
		var clerks sync.WaitGroup
		for range threads {
			clerks.Go(func() { total.Add(open.clerk()) })
		}
		clerks.Wait()
		total.Add(open.compare(open.typed, work))
	}
	fmt.Printf("%d cards, distance %d\n", districts*work, total.Load())
}
