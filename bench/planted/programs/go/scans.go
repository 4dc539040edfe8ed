// Cleans a stack of scanned pages: finds where the ink is, in spite of the noise of the scanner.
//
// usage: scans THREADS DIAL ROWS
//
// ROWS is the height of a page. Pages come from the scanner one after the other. Each is cut into bands, which the
// workers clean; when all bands of a page are done, the page is bound and the next one comes. Bands of text are 16 rows
// high. Pictures need bands of 256 rows, since the filter may not show its edges in them. DIAL is the share of the pages
// that are pictures. The noise is that of the same scanner, so a page has the same ink either way.
package main

import (
	"fmt"
	"sync"
)

const (
	pages       = 100
	columns     = 7000
	textRows    = 16
	pictureRows = 256
)

type band struct {
	page, from, to int
	ink            *uint64
	done           *sync.WaitGroup
}

func shuffled(x uint64) uint64 {
	x = (x + 1) * 0x9E3779B97F4A7C15
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	return x ^ x>>29
}

// isPicture spreads the pictures evenly over the stack.
func isPicture(page int) bool { return int(float64(page+1)*dial) > int(float64(page)*dial) }

// cleanRow counts the points of ink in a row, after two passes of a filter that follows the paper's grey.
func cleanRow(page, row int) (ink uint64) {
	noise := shuffled(uint64(page)<<32 | uint64(row))
	paper, smooth := int64(200<<8), int64(200<<8)
	for range columns {
		noise = noise*6364136223846793005 + 1442695040888963407
		grey := int64(noise>>56) << 8
		smooth += (grey - smooth) >> 3
		paper += (smooth - paper) >> 6
		if smooth < paper-4<<8 {
			ink++
		}
	}
	return ink
}

// clean works on the bands that come in, until there are no more.
func clean(bands <-chan band) {
	for one := range bands {
		var ink uint64
		for row := one.from; row < one.to; row++ {
			ink += cleanRow(one.page, row)
		}
		*one.ink = ink
		one.done.Done()
	}
}

// bind cuts a page into bands, waits until they are clean, and returns the ink on the page.
func bind(page int, bands chan<- band) (ink uint64) {
	height := textRows
	if isPicture(page) {
		height = pictureRows
	}
	inks := make([]uint64, (work+height-1)/height)
	var done sync.WaitGroup
	done.Add(len(inks))
	for i := range inks {
		bands <- band{page, i * height, min((i+1)*height, work), &inks[i], &done}
	}
	done.Wait()
	for _, one := range inks {
		ink += one
	}
	return ink
}

func main() {
	arguments()
	bands := make(chan band, 256)
	for range threads {
		go clean(bands)
	}
	var answer uint64
	for page := range pages {
		answer = shuffled(answer ^ bind(page, bands))
	}
	close(bands)
	fmt.Printf("%d pages, %016x\n", pages, answer)
}
