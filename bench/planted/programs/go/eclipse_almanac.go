// Computes almanacs of eclipses: for every half day it follows sun, moon and node, and notes when they are in line.
//
// Almanacs are ordered one at a time, each for another place and another number of years. A span of years that is long
// is cut in three, and two of the parts are left to other goroutines, and so on down to spans that are short enough.
// The dial is the number of years that are short enough; 0 stands for 20. All years take equally long, and a goroutine
// less than 10 ms. With many years to a span an almanac is 9 spans, or 3, or a single one, and then nobody helps.
package main

import (
	"math/bits"
	"sync"
)

const short = 20

type span struct{ from, to int }

// place has what makes the sky differ: longitude in turns, latitude as a limit.
type place struct {
	east  uint32
	limit uint32
}

type almanac struct {
	years    int
	solar    int
	lunar    int
	greatest uint64
}

func (a *almanac) add(b almanac) {
	a.years += b.years
	a.solar += b.solar
	a.lunar += b.lunar
	a.greatest += b.greatest
}

// away is the distance of two angles, of which 2^32 are a turn.
func away(a, b uint32) uint32 {
	d := int32(a - b)
	return uint32(max(d, -d))
}

// wave is a parabola in the place of a sine.
func wave(angle uint32) uint32 {
	x := uint64(angle&0x7FFFFFFF) >> 1
	y := uint32(x * (1<<30 - x) >> 32)
	if angle>>31 != 0 {
		return -y
	}
	return y
}

func (p place) year(number int) (a almanac) {
	a.years = 1
	for half := range 731 {
		day := uint64(number)*731 + uint64(half)
		sun := uint32(day*5879489) + p.east
		anomaly := uint32(day * 77934257)
		moon := uint32(day*78594037) + wave(anomaly)<<2 + wave(2*sun-anomaly)<<1
		node := -uint32(day * 315821)
		off := away(moon, sun)
		low := min(away(moon, node), away(moon, node+1<<31))
		if low > p.limit {
			continue
		}
		switch {
		case off < 3*p.limit/2:
			a.solar++
		case off > 1<<31-2*p.limit:
			a.lunar++
		}
		a.greatest += uint64(bits.Reverse32(low)) ^ uint64(off)
	}
	return a
}

func (p place) compute(s span, enough int) (a almanac) {
	years := s.to - s.from
	if years <= enough {
		for year := s.from; year < s.to; year++ {
			a.add(p.year(year))
		}
		return a
	}
	var parts [3]almanac
	var helpers sync.WaitGroup
	for i := range parts {
		part := span{s.from + years*i/3, s.from + years*(i+1)/3}
		if i == 2 {
			parts[i] = p.compute(part, enough)
			break
		}
		helpers.Go(func() { parts[i] = p.compute(part, enough) })
	}
	helpers.Wait()
	for _, part := range parts {
		a.add(part)
	}
	return a
}

func main() {
	arguments()
	enough := max(short, int(dial))
	var answer uint64
	for order := range work {
		draw := unit(order, 4)
		p := place{uint32(draw), 1<<27 + uint32(draw>>40)}
		begin := int(draw >> 56)
		a := p.compute(span{begin, begin + 300 + order*37%109*10}, enough)
		answer = answer*1000003 + a.greatest ^ uint64(a.solar)<<32 ^ uint64(a.lunar)
	}
	printAnswer(answer)
}
