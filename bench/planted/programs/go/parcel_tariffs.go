// Parcel tariffs: workers take batches of parcels from a channel and quote them against a store of tariff zones; after
// each batch a worker derives the fuel surcharge of one zone anew from the zone's trips, and publishes it in the store.
//
// The dial is the share of the batches whose surcharge is derived while the store's RWMutex is held for writing; the
// others derive it first and take the lock only to publish. That takes a few hundred microseconds, far longer than the
// lock spins, so a worker that wants to read or write the store is parked meanwhile: this is a sleeping lock.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
)

const (
	zones    = 32
	breaks   = 64
	trips    = 2048
	parcels  = 800
	fits     = 30
	waiting  = 8
	noParcel = 0xFFFF
)

type zone struct {
	limits    [breaks]uint32
	prices    [breaks]uint64
	trips     [trips]uint32
	surcharge uint64
}

// store guards the surcharges; limits, prices and trips never change.
type store struct {
	lock  sync.RWMutex
	zones [zones]zone
}

type batch struct {
	number int
	locked bool
}

func mix(x uint64) uint64 {
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	x = (x ^ x>>29) * 0x9E3779B97F4A7C15
	return x ^ x>>32
}

// fuel fits a surcharge to the trips of a zone. It does not depend on the surcharge before.
func (z *zone) fuel() uint64 {
	var level, trend uint64 = 1 << 20, 1
	for range fits {
		for _, trip := range z.trips {
			wanted := uint64(trip)*977 + trend>>7
			level += (wanted - level) >> 3
			trend = trend*31 + level ^ wanted
		}
	}
	return mix(level^trend) % 100_000
}

func (s *store) surcharges(into *[zones]uint64) {
	s.lock.RLock()
	for i := range s.zones {
		into[i] = s.zones[i].surcharge
	}
	s.lock.RUnlock()
}

func (s *store) refreshLocked(number int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.zones[number].surcharge = s.zones[number].fuel()
}

func (s *store) refresh(number int) {
	surcharge := s.zones[number].fuel()
	s.lock.Lock()
	s.zones[number].surcharge = surcharge
	s.lock.Unlock()
}

func (z *zone) quote(weight uint32, surcharge uint64) uint64 {
	at := sort.Search(breaks-1, func(i int) bool { return z.limits[i] >= weight })
	price := z.prices[at] + surcharge
	for range 6 {
		price = price*1_000_003 + uint64(weight)%997
	}
	return price
}

func (s *store) work(in <-chan batch, out chan<- uint64) {
	var total uint64
	var surcharges [zones]uint64
	for b := range in {
		s.surcharges(&surcharges)
		x := mix(uint64(b.number) + 1)
		for range parcels {
			x = mix(x + 1)
			at := x % zones
			total += s.zones[at].quote(uint32(x>>40)&noParcel, surcharges[at])
		}
		if target := b.number % zones; b.locked {
			s.refreshLocked(target)
		} else {
			s.refresh(target)
		}
	}
	out <- total
}

func newStore() *store {
	s := new(store)
	for i := range s.zones {
		z := &s.zones[i]
		var limit, price uint64
		for b := range breaks {
			x := mix(uint64(i*breaks+b) + 77)
			limit += 1 + x%1500
			price += 1 + x>>50
			z.limits[b], z.prices[b] = uint32(limit), price
		}
		for t := range trips {
			z.trips[t] = uint32(mix(uint64(i*trips + t + 5)))
		}
		z.surcharge = z.fuel()
	}
	return s
}

func main() {
	if len(os.Args) != 4 {
		os.Exit(2)
	}
	workers, _ := strconv.Atoi(os.Args[1])
	dial, _ := strconv.ParseFloat(os.Args[2], 64)
	batches, _ := strconv.Atoi(os.Args[3])
	runtime.GOMAXPROCS(workers)

	s := newStore()
	in, out := make(chan batch, waiting), make(chan uint64, workers)
	for range workers {
		go s.work(in, out)
	}
	for number := range batches {
		share := float64(mix(uint64(number)*0x9E3779B97F4A7C15+3)>>11) / (1 << 53)
		in <- batch{number, share < dial}
	}
	close(in)
	var total uint64
	for range workers {
		total += <-out
	}
	fmt.Printf("%016x\n", total)
}
