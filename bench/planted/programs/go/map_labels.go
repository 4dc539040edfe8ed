// Draws the tiles of a map: painters take tiles by an atomic counter, paint the relief of a tile in a buffer of their
// own, and place its town names where the ground is flattest, by trying many places.
//
// The register of placed names is guarded by a channel that holds one token. The dial is the share of tiles (those at
// the border of a sheet) whose names are tried while holding the token; the others are tried before, and only noted
// under it. A painter that finds the token taken is parked: the cause is a sleeping lock, of some 100 us a time.
package main

import "sync/atomic"

const side = 48

type painter struct {
	ground [side * side]int32
}

type register struct {
	token chan struct{}
	names uint64
	sum   uint64
}

func (p *painter) relief(tile int) {
	seed := uint32(tile)*2654435761 + 12345
	for i := range p.ground {
		seed = seed*1664525 + 1013904223
		p.ground[i] = int32(seed >> 20)
	}
	for pass := 0; pass < 3; pass++ {
		for y := 1; y < side-1; y++ {
			for x := 1; x < side-1; x++ {
				at := y*side + x
				p.ground[at] = (p.ground[at]*4 + p.ground[at-1] + p.ground[at+1] + p.ground[at-side] + p.ground[at+side]) >> 3
			}
		}
	}
}

// place tries places for the names of a tile and returns the steepness of those chosen.
func (p *painter) place(tile int) uint64 {
	var sum uint64
	names := 2 + tile*7%5
	for name := 0; name < names; name++ {
		width := 5 + (tile+name)%4
		best, where := int32(1<<30), 0
		for y := name; y < side-2; y += 2 {
			for x := 0; x+width < side; x++ {
				low, high := int32(1<<30), int32(-1<<30)
				for k := 0; k < width; k++ {
					low = min(low, p.ground[y*side+x+k])
					high = max(high, p.ground[y*side+x+k])
				}
				if high-low < best {
					best, where = high-low, y*side+x
				}
			}
		}
		sum = sum*1009 + uint64(best)<<12 + uint64(where)
	}
	return sum
}

func (r *register) note(tile int, places uint64) {
	r.names++
	r.sum += places ^ uint64(tile)<<40
}

func main() {
	arguments()
	reg := register{token: make(chan struct{}, 1)}
	reg.token <- struct{}{}
	var next atomic.Int64
	done := make(chan int)
	for range threads {
		go func() {
			p := new(painter)
			tiles := 0
			for {
				tile := int(next.Add(1)) - 1
				if tile >= work {
					break
				}
				p.relief(tile)
				if picked(tile) {
					<-reg.token
					reg.note(tile, p.place(tile))
				} else {
					places := p.place(tile)
					<-reg.token
					reg.note(tile, places)
				}
				reg.token <- struct{}{}
				tiles++
			}
			done <- tiles
		}()
	}
	tiles := 0
	for range threads {
		tiles += <-done
	}
	printAnswer(reg.sum + uint64(tiles)*reg.names)
}
