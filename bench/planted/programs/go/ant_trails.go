// Lets ants forage: they follow the scent of food from cell to cell, and bring home a crumb now and then.
//
// The dial is the share of the ants that carry to the queen's store, which is one number for the whole nest: every
// crumb is added to it at once, atomically. The other ants carry to the chamber of their gallery, which belongs to a
// goroutine. So the line of the cache with the store moves between the cpus with each crumb; nobody waits for a lock.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

const (
	side   = 64
	walks  = 96 // times that an ant comes home
	stride = 2  // cells between two crumbs
)

type meadow [side * side]uint8

type nest struct {
	_     [128]byte
	store atomic.Uint64
	_     [128]byte
}

type ant struct {
	cell  uint32
	mood  uint64
	queen bool
}

func sow() *meadow {
	m := new(meadow)
	for i := range m {
		m[i] = uint8(unit(i, 2) >> 57)
	}
	return m
}

// forage walks to the next crumb: ahead or to the side, to whichever cell smells better to an ant in this mood.
func (a *ant) forage(m *meadow) uint64 {
	var smelled uint64
	for range stride {
		a.mood = a.mood*6364136223846793005 + 1442695040888963407
		ahead := (a.cell + 1 + uint32(a.mood>>62)) % (side * side)
		aside := (a.cell + side - uint32(a.mood>>61&1)) % (side * side)
		left, right := uint64(m[ahead])+a.mood>>33&63, uint64(m[aside])+a.mood>>43&63
		a.cell, smelled = ahead, smelled+left
		if right > left {
			a.cell, smelled = aside, smelled+right-left
		}
	}
	return smelled
}

type gallery struct {
	chamber, tracks uint64
}

func (g *gallery) send(a ant, m *meadow, home *nest) {
	for range walks {
		crumb := a.forage(m)
		if a.queen {
			home.store.Add(crumb)
		} else {
			g.chamber += crumb
		}
	}
	g.tracks += uint64(a.cell) * (a.mood>>50 | 1)
}

func main() {
	arguments()
	m, home := sow(), new(nest)
	tracks := make(chan uint64, threads)
	var galleries sync.WaitGroup
	for g := range threads {
		galleries.Go(func() {
			var own gallery
			for n := first(g); n < first(g+1); n++ {
				own.send(ant{uint32(n) % (side * side), uint64(n) * 0x9E3779B97F4A7C15, picked(n)}, m, home)
			}
			home.store.Add(own.chamber)
			tracks <- own.tracks
		})
	}
	galleries.Wait()
	close(tracks)
	var sum uint64
	for one := range tracks {
		sum += one
	}
	fmt.Printf("%d crumbs, tracks %016x\n", home.store.Load(), sum)
}
