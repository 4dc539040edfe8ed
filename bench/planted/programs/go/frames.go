// Serial part: renders 12 frames of a film; goroutines draw the rows of a frame, and main packs some of them for the file.
//
// The dial is the share of the rows of each frame that main draws and packs itself after the goroutines have ended, as a
// program does that adds titles in its main loop. All other rows are drawn and packed by the goroutines, with equal parts
// for all. Nothing else is shared, and every row costs the same.
package main

const (
	frames = 12
	width  = 640
	rounds = 10
)

// row draws a row, packs it by run lengths, and returns a checksum of the runs.
func row(frame, number int) uint64 {
	var sum, run uint64
	last := byte(0)
	x := unit(frame*work+number, 4)
	for column := range width {
		for range rounds {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		pixel := byte(x>>62) + byte(column/320)
		if pixel == last {
			run++
			continue
		}
		sum = (sum+run)*31 + uint64(last)
		last, run = pixel, 1
	}
	return sum + run
}

func rows(frame, from, to int) uint64 {
	var sum uint64
	for number := from; number < to; number++ {
		sum += row(frame, number)
	}
	return sum
}

func main() {
	arguments()
	var sum uint64
	rest := work - int(dial*float64(work))
	for frame := range frames {
		sum += inThreads(func(thread int) uint64 {
			return rows(frame, rest*thread/threads, rest*(thread+1)/threads)
		})
		sum += rows(frame, rest, work)
	}
	printAnswer(sum)
}
