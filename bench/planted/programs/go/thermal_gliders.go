// Gliders in thermals: how far does a glider get that circles in every third thermal it meets?
//
// False sharing. Every pilot flies with a glider whose state is updated at each step of the way. Rented gliders stand
// side by side in one hangar, so their states share a line of the cache; a pilot's own glider has its lines alone. The
// dial is the share of the flights with rented gliders.
package main

import "sync"

type glider struct {
	east, north   int32
	height        int32
	lift, heading int32
	meters        uint32
}

type ownGlider struct {
	_ [128]byte
	glider
	_ [128]byte
}

// step flies a few seconds straight on, or half a circle.
func (g *glider) step(air uint32) {
	g.heading += int32(air>>29) - 3
	g.lift += (int32(air>>20&63) - 33 - g.lift) >> 2
	g.height += g.lift >> 1
	if g.lift > 4 {
		g.heading += 64
	}
	g.east += g.heading & 127
	g.north += 64 - g.heading>>1&63
	g.meters += uint32(g.east^g.north) & 31
}

func fly(g *glider, flight int) uint64 {
	*g = glider{height: 1200, heading: int32(flight & 255)}
	air := uint32(flight)*2654435761 + 17
	for range 120 {
		air = air*1664525 + 1013904223
		air ^= air >> 15 * 3
		g.step(air)
	}
	return uint64(g.meters)<<20 ^ uint64(uint32(g.height)) ^ uint64(uint32(g.east))<<7
}

func main() {
	arguments()
	hangar := make([]glider, 1024)
	var sky sync.WaitGroup
	var book sync.Mutex
	var total uint64
	for pilot := range threads {
		sky.Add(1)
		go func() {
			defer sky.Done()
			own := new(ownGlider)
			var flown uint64
			for flight := first(pilot); flight < first(pilot+1); flight++ {
				g := &own.glider
				if picked(flight) {
					g = &hangar[pilot]
				}
				flown += fly(g, flight)
			}
			book.Lock()
			total += flown
			book.Unlock()
		}()
	}
	sky.Wait()
	printAnswer(total)
}
