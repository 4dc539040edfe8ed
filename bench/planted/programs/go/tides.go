// Tides: fits tide tables to the rolls of paper that tide gauges have written.
//
//	tides THREADS DIAL ROLLS
//
// A roll is decoded and then fitted. Old rolls need the decoder of the archive, of which there is one: it is borrowed
// and given back. For all other rolls each goroutine has a decoder. The dial is the share of the old rolls.
package main

const (
	samples  = 512
	passes   = 100
	fitSteps = 8000
)

// decoder turns the ink of a roll into heights; it keeps them until the next roll.
type decoder struct {
	heights [samples]uint32
}

// decode reads the ink, and smooths it again and again.
func (d *decoder) decode(roll int) uint64 {
	x := uint64(roll)*0x9E3779B97F4A7C15 + 1
	for i := range d.heights {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		d.heights[i] = uint32(x >> 40)
	}
	for range passes {
		level := d.heights[samples-1]
		for i, height := range d.heights {
			level = (level*level>>16 + 5*level + 2*height) >> 3
			d.heights[i] = level
		}
	}
	var sum uint64
	for i, height := range d.heights {
		sum += uint64(height) * uint64(i+1)
	}
	return sum
}

// archive lends its decoders; a reader that comes when all are lent waits.
type archive chan *decoder

func (a archive) decode(roll int) uint64 {
	borrowed := <-a
	defer func() { a <- borrowed }()
	return borrowed.decode(roll)
}

func main() {
	arguments()
	lent := make(archive, 1)
	lent <- new(decoder)

	rolls := make(chan int, work)
	for roll := range work {
		rolls <- roll
	}
	close(rolls)

	printAnswer(inThreads(func(int) uint64 {
		var tables uint64
		var own decoder
		for roll := range rolls {
			decode := own.decode
			if picked(roll) {
				decode = lent.decode
			}
			tables += unit(int(decode(roll)&0xFFFFFF), fitSteps)
		}
		return tables
	}))
}
