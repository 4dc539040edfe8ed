// Duplicated work: adds up how far parcels travel through a town with walls, by tables of distances made on demand.
//
// The dial is the share of the depots from which all goroutines send parcels, at the same place of their lists; each of
// the other depots is on one list only. A goroutine that finds no table of a depot makes it, without telling anybody,
// and then stores it in a sync.Map unless another one has done so first. Goroutines that come to a depot while another
// one makes its table thus make it, too. Nobody waits: making a table takes about 60 us and no lock, and storing it far
// less than 1 us. A table is made in memory of the goroutine's own, and only a digest of it stays.
package main

import "sync"

const (
	side  = 64
	cells = side * side
)

type town [cells]bool

type tables struct {
	distance [cells]uint16
	queue    [cells]uint16
}

// digest walks the town breadth first from a depot, and sums up the distances to all other places.
func (t *tables) digest(walls *town, depot int) uint64 {
	start := int(unit(depot, 8)>>33) % cells
	for walls[start] {
		start = (start + 1) % cells
	}
	clear(t.distance[:])
	t.distance[start], t.queue[0] = 1, uint16(start)
	sum, ahead := uint64(depot), 1
	for done := 0; done < ahead; done++ {
		at := int(t.queue[done])
		far := t.distance[at] + 1
		sum = sum*31 + uint64(far)
		for _, step := range [4]int{1, -1, side, -side} {
			next := (at + step) & (cells - 1)
			if t.distance[next] == 0 && !walls[next] {
				t.distance[next] = far
				t.queue[ahead] = uint16(next)
				ahead++
			}
		}
	}
	return sum
}

func main() {
	arguments()
	var walls town
	for at := range walls {
		walls[at] = unit(at, 8)>>40%4 == 0
	}
	var made sync.Map
	printAnswer(inThreads(func(thread int) uint64 {
		own := &tables{}
		var sum uint64
		apart := 0
		for depot := range work {
			if !picked(depot) {
				if apart%threads == thread {
					sum += own.digest(&walls, depot)
				}
				apart++
				continue
			}
			table, there := made.Load(depot)
			if !there {
				table, _ = made.LoadOrStore(depot, own.digest(&walls, depot))
			}
			if depot%threads == thread {
				sum += table.(uint64)
			}
		}
		return sum
	}))
}
