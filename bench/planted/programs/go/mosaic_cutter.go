// Cuts pictures into mosaic stones: for every row of stones it draws the picture's pixels, averages them by stone, and
// looks for the nearest of the colours that the workshop has.
//
// The rows go to the workers over a channel, in orders of equally many rows. The dial is how many rows an order has; 0
// stands for 60. An order of many rows leaves too few orders to keep all workers busy.
package main

import "sync"

const (
	stones  = 40
	pixels  = 10
	colours = 64
	few     = 60
)

type colour struct{ red, green, blue int }

var stock [colours]colour

func (c colour) nearest() int {
	best, least := 0, 1<<30
	for i, other := range stock {
		r, g, b := c.red-other.red, c.green-other.green, c.blue-other.blue
		if far := 2*r*r + 4*g*g + 3*b*b; far < least {
			best, least = i, far
		}
	}
	return best
}

func cut(row int) uint64 {
	var sum uint64
	state := uint32(row)*2246822519 + 374761393
	for stone := range stones {
		var mean colour
		for range pixels * pixels {
			state ^= state << 13
			state ^= state >> 17
			state ^= state << 5
			mean.red += int(state & 255)
			mean.green += int(state >> 9 & 255)
			mean.blue += int(state >> 18 & 255)
		}
		mean.red /= pixels * pixels / 2
		mean.green /= pixels * pixels / 2
		mean.blue /= pixels * pixels / 2
		sum += uint64(mean.nearest()+1) * uint64(stone*8191+row+1)
	}
	return sum
}

type order struct{ from, to int }

func main() {
	arguments()
	for i := range stock {
		stock[i] = colour{100 + i*37%311, 90 + i*53%307, 80 + i*71%313}
	}
	rows := max(few, int(dial))
	orders := make(chan order, work/rows+1)
	sums := make([]uint64, threads)
	var all sync.WaitGroup
	for worker := range threads {
		all.Add(1)
		go func() {
			defer all.Done()
			var sum uint64
			for o := range orders {
				for row := o.from; row < o.to; row++ {
					sum += cut(row)
				}
			}
			sums[worker] = sum
		}()
	}
	for from := 0; from < work; from += rows {
		orders <- order{from, min(from+rows, work)}
	}
	close(orders)
	all.Wait()
	var sum uint64
	for _, one := range sums {
		sum += one
	}
	printAnswer(sum)
}
