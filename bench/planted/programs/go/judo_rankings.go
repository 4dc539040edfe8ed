// Ranks judoka: workers take the bouts of a season, score each from its log of grips and throws, and add the result to
// the ranking of the club that the whole federation shares.
//
// The dial is the share of the bouts that were protested. Those are scored by the federation's table, which may have
// only one scorer at a time, so a worker keeps its mutex for the whole scoring (some 60 us); the others are scored first,
// and the table is held just to add their points. Waiting workers park: that is a sleeping lock.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

const (
	clubs  = 96
	events = 2600
)

type federation struct {
	mu     sync.Mutex
	points [clubs]uint64
}

type bout struct {
	id          uint64
	white, blue int
}

func scramble(v uint64) uint64 {
	v ^= v >> 30
	v *= 0xbf58476d1ce4e5b9
	v ^= v >> 27
	v *= 0x94d049bb133111eb
	return v ^ v>>31
}

func newBout(n int) bout {
	id := scramble(uint64(n) + 77)
	white := int(id % clubs)
	return bout{id, white, (white + 1 + int(id>>32)%(clubs-1)) % clubs}
}

// score replays a bout: grips raise an advantage, which decays, and throws use it up.
func (b bout) score() (white, blue uint64) {
	state, lead := b.id, int64(0)
	for range events {
		state = state*6364136223846793005 + 1442695040888963407
		grip := int64(state>>44) - 1<<19
		lead += grip - lead>>4
		switch {
		case lead > 1<<21:
			white += 7
			lead >>= 1
		case lead < -1<<21:
			blue += 7
			lead /= 2
		}
	}
	return white + state&3, blue + state>>62
}

func (f *federation) book(b bout, white, blue uint64) {
	f.points[b.white] += white * (b.id | 1)
	f.points[b.blue] += blue * (b.id | 1)
}

func main() {
	workers, _ := strconv.Atoi(os.Args[1])
	protested, _ := strconv.ParseFloat(os.Args[2], 64)
	bouts, err := strconv.Atoi(os.Args[3])
	if err != nil || workers < 1 {
		fmt.Fprintln(os.Stderr, "usage: judo_rankings THREADS DIAL WORK")
		os.Exit(2)
	}
	runtime.GOMAXPROCS(workers)
	table := new(federation)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := int(next.Add(1)) - 1; n < bouts; n = int(next.Add(1)) - 1 {
				b := newBout(n)
				if float64(scramble(b.id)>>11)/(1<<53) < protested {
					table.mu.Lock()
					white, blue := b.score()
					table.book(b, white, blue)
					table.mu.Unlock()
					continue
				}
				white, blue := b.score()
				table.mu.Lock()
				table.book(b, white, blue)
				table.mu.Unlock()
			}
		}()
	}
	wg.Wait()
	digest := uint64(0)
	for club, points := range table.points {
		digest += scramble(points + uint64(club))
	}
	fmt.Printf("%016x\n", digest)
}
