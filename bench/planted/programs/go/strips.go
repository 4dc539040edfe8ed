// Too few tasks: smooths a picture again and again, in strips of rows that workers take from a channel of jobs.
//
// The dial is the height of a strip as a share of the usual picture (at 0 a strip has 15 rows). A pass must be complete
// before the next begins, so with 3 or 5 strips a pass two workers cannot share it evenly, though all strips are alike.
// A picture with four times the rows has four times the strips, and the loss is gone: it is not imbalance.
package main

import (
	"math"
	"sync"
)

const (
	width  = 1024
	usual  = 480
	passes = 64
	lowest = 15
)

type picture [][]uint32

type strip struct {
	from, to picture
	top, end int
	done     *sync.WaitGroup
}

func blank(rows int) picture {
	p := make(picture, rows)
	for y := range p {
		p[y] = make([]uint32, width)
	}
	return p
}

// tone bends a brightness; the chain keeps the values in 0...65535.
func tone(v uint32) uint32 {
	for range 9 {
		v = (v*v>>15 + v*3) & 0xFFFF
	}
	return v
}

func (s strip) smooth() {
	rows := len(s.from)
	for y := s.top; y < s.end; y++ {
		above, here, below := s.from[(y+rows-1)%rows], s.from[y], s.from[(y+1)%rows]
		out := s.to[y]
		for x := range width {
			left, right := (x+width-1)%width, (x+1)%width
			sum := 4*here[x] + here[left] + here[right] + above[x] + below[x]
			out[x] = tone(sum >> 3)
		}
	}
	s.done.Done()
}

func main() {
	arguments()
	height := max(lowest, int(math.Ceil(dial*usual)))
	from, to := blank(work), blank(work)
	for y := range from {
		for x := range from[y] {
			from[y][x] = uint32(uint64(y*width+x)*0x9E3779B97F4A7C15>>48) & 0xFFFF
		}
	}
	jobs := make(chan strip, 256)
	for range threads {
		go func() {
			for s := range jobs {
				s.smooth()
			}
		}()
	}
	for range passes {
		var done sync.WaitGroup
		for top := 0; top < work; top += height {
			done.Add(1)
			jobs <- strip{from, to, top, min(top+height, work), &done}
		}
		done.Wait()
		from, to = to, from
	}
	close(jobs)
	var sum uint64
	for _, row := range from {
		for _, v := range row {
			sum = sum*31 + uint64(v)
		}
	}
	printAnswer(sum)
}
