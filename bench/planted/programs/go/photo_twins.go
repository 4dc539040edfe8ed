// Too few tasks: looks for twins in photo albums, by the distance of the photos' 256 bit fingerprints.
//
// One album comes after the other, since the albums' counts set the tolerance of the next; each is cut into jobs of equal
// size for the searchers, who take them from a channel. The dial is the least size of a job, as a share of the largest
// album. With few and large jobs a searcher has none left while another is at the last one; the jobs are alike, and there
// are just not enough of them. The number of comparisons is the same at any dial.
package main

import (
	"fmt"
	"math/bits"
)

const (
	largePhotos = 1680
	smallPhotos = 1008
	neighbours  = 420
	leastShare  = 1.0 / 48
)

type fingerprint [4]uint64

type album struct {
	photos []fingerprint
}

type job struct {
	from, to  int
	shelf     *album
	tolerance int
}

type found struct {
	twins int
	print uint64
}

func shoot(number int, shelf *album) {
	size := largePhotos
	// 40% of all comparisons are in small albums.
	if number*10%19 < 10 {
		size = smallPhotos
	}
	shelf.photos = shelf.photos[:size]
	x := uint64(number)*0x9E3779B97F4A7C15 + 1
	for i := range shelf.photos {
		for k := range shelf.photos[i] {
			x = x*6364136223846793005 + (x>>33 | 1)
			shelf.photos[i][k] = x ^ x>>29
		}
	}
}

func (j job) search() found {
	var all found
	photos := j.shelf.photos
	for i := j.from; i < j.to; i++ {
		one := photos[i]
		other := i
		for range neighbours {
			other++
			if other == len(photos) {
				other = 0
			}
			two := &photos[other]
			distance := bits.OnesCount64(one[0]^two[0]) + bits.OnesCount64(one[1]^two[1]) +
				bits.OnesCount64(one[2]^two[2]) + bits.OnesCount64(one[3]^two[3])
			if distance < j.tolerance {
				all.twins++
				all.print += one[0] ^ two[3]
			}
		}
	}
	return all
}

// cut hands out an album in jobs that differ by one photo at most, none below the least size if it can be helped.
func cut(shelf *album, tolerance, least int, jobs chan<- job) int {
	size := len(shelf.photos)
	pieces := max(1, size/least)
	for p := range pieces {
		jobs <- job{size * p / pieces, size * (p + 1) / pieces, shelf, tolerance}
	}
	return pieces
}

func main() {
	arguments()
	jobs := make(chan job, 128)
	answers := make(chan found, 128)
	for range threads {
		go func() {
			for one := range jobs {
				answers <- one.search()
			}
		}()
	}
	least := max(1, int(max(dial, leastShare)*largePhotos))
	shelf := &album{make([]fingerprint, 0, largePhotos)}
	tolerance := 104
	var total found
	for number := range work {
		shoot(number, shelf)
		twins := 0
		for range cut(shelf, tolerance, least, jobs) {
			one := <-answers
			twins += one.twins
			total.print += one.print
		}
		total.twins += twins
		if twins > len(shelf.photos) {
			tolerance = max(tolerance-1, 98)
		} else {
			tolerance = min(tolerance+1, 110)
		}
	}
	close(jobs)
	fmt.Printf("%d twins, %016x\n", total.twins, total.print)
}
