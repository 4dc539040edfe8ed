// Parcels are assigned to the depots from which they are delivered, day after day. A day's parcels are divided in halves
// again and again, and the halves go to goroutines, until a piece is too small to be worth one.
//
//	depots THREADS DIAL WORK
//
// WORK is the number of parcels on an average day. DIAL is the largest number of parcels that is not divided; 0 stands
// for 48.
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
)

const (
	depotCount    = 96
	smallestPiece = 48
)

type place struct{ lat, lon, cosLat float64 }

type depot struct {
	place
	backlog int
}

// Parcels on each day, in hundredths of an average day: sales, weekends, a strike.
var dayShare = [...]int{
	62, 180, 25, 330, 48, 95, 12, 260, 70, 150, 33, 410, 18, 55, 120, 84, 290, 40, 105, 22, 215, 60, 38, 78,
	140, 30, 360, 52, 15, 99, 190, 44,
}

func depotRandom(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func somewhere(key uint64) place {
	r := depotRandom(key)
	lat := (47 + float64(r>>44)/(1<<20)*8) * math.Pi / 180
	lon := (6 + float64(r<<20>>44)/(1<<20)*9) * math.Pi / 180
	return place{lat, lon, math.Cos(lat)}
}

// metres is the great-circle distance.
func metres(a, b place) float64 {
	s, t := math.Sin((a.lat-b.lat)/2), math.Sin((a.lon-b.lon)/2)
	return 2 * 6371e3 * math.Asin(math.Sqrt(s*s+a.cosLat*b.cosLat*t*t))
}

type dayPlan struct {
	day    int
	depots []depot
	cutoff int
}

type tally struct {
	taken    [depotCount]int
	distance int
}

func (t *tally) add(other *tally) {
	for i, n := range other.taken {
		t.taken[i] += n
	}
	t.distance += other.distance
}

// assign gives the parcels from..to of the day to their cheapest depots: near ones, and such with little backlog.
func (p *dayPlan) assign(from, to int) *tally {
	if to-from > p.cutoff {
		middle := (from + to) / 2
		right := make(chan *tally, 1)
		go func() { right <- p.assign(middle, to) }()
		sum := p.assign(from, middle)
		sum.add(<-right)
		return sum
	}
	sum := &tally{}
	for parcel := from; parcel < to; parcel++ {
		home := somewhere(uint64(p.day)<<32 | uint64(parcel))
		best, cheapest, way := 0, math.Inf(1), 0.0
		for i := range p.depots {
			d := metres(home, p.depots[i].place)
			if cost := d * (1 + 0.001*float64(p.depots[i].backlog)); cost < cheapest {
				best, cheapest, way = i, cost, d
			}
		}
		sum.taken[best]++
		sum.distance += int(way)
	}
	return sum
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: depots THREADS DIAL WORK")
		os.Exit(2)
	}
	threads, _ := strconv.Atoi(os.Args[1])
	dial, _ := strconv.ParseFloat(os.Args[2], 64)
	perDay, _ := strconv.Atoi(os.Args[3])
	runtime.GOMAXPROCS(threads)

	cutoff := int(dial)
	if cutoff == 0 {
		cutoff = smallestPiece
	}
	depots := make([]depot, depotCount)
	for i := range depots {
		depots[i].place = somewhere(1<<60 + uint64(i))
	}
	parcels, kilometres := 0, 0
	for day, share := range dayShare {
		n := perDay * share / 100
		plan := dayPlan{day, depots, cutoff}
		done := plan.assign(0, n)
		// What a depot could not deliver today makes it dearer tomorrow.
		for i := range depots {
			depots[i].backlog = max(0, depots[i].backlog+done.taken[i]-n/depotCount)
		}
		parcels += n
		kilometres += done.distance / 1000
	}
	backlog := 0
	for i := range depots {
		backlog += depots[i].backlog
	}
	fmt.Printf("%d parcels, %d km, backlog %d\n", parcels, kilometres, backlog)
}
