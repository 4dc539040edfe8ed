// Too few tasks: sharpens six pictures one after the other, each cut into strips of equal height.
//
// The dial is the number of strips of a picture; 0 stands for strips of one row. Goroutines take the next strip from a
// shared counter until none is left, so with few strips some have nothing to do while the last strips are computed. All
// strips of a picture cost the same, give or take a row. They write to different rows, and read only what nobody changes.
package main

import "sync/atomic"

const (
	pictures = 6
	width    = 512
)

type picture [][width]uint16

// sharpen computes one row of the new picture from three rows of the old one, and returns its checksum.
func sharpen(from, to picture, at int) uint64 {
	above, row, below := &from[max(at-1, 0)], &from[at], &from[min(at+1, len(from)-1)]
	made := &to[at]
	sum := uint64(at)
	for c := 1; c < width-1; c++ {
		around := int(above[c-1]) + int(above[c]) + int(above[c+1]) + int(row[c-1]) + int(row[c+1]) +
			int(below[c-1]) + int(below[c]) + int(below[c+1])
		made[c] = uint16(min(max(9*int(row[c])-around, 0), 65535))
		for range 20 {
			sum = sum*31 + uint64(made[c])
		}
	}
	return sum
}

func main() {
	arguments()
	from, to := make(picture, work), make(picture, work)
	inThreads(func(thread int) uint64 {
		for at := first(thread); at < first(thread+1); at++ {
			x := unit(at, 4)
			for c := range width {
				x = x*6364136223846793005 + 1442695040888963407
				from[at][c], to[at][c] = uint16(x>>52), 1
			}
		}
		return 0
	})
	strips := int(dial)
	if strips == 0 {
		strips = work
	}
	var sum uint64
	for range pictures {
		var taken atomic.Int64
		sum += inThreads(func(int) uint64 {
			var sum uint64
			for {
				strip := int(taken.Add(1)) - 1
				if strip >= strips {
					return sum
				}
				for at := work * strip / strips; at < work*(strip+1)/strips; at++ {
					sum += sharpen(from, to, at)
				}
			}
		})
		from, to = to, from
	}
	printAnswer(sum)
}
