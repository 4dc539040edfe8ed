// A grain sorting line: sorters fetch lots of kernels, look at each kernel's little picture (8 rows of 8 pixels, smoothed
// and measured), grade it into one of 64 grades and add it to their tally of that grade's class.
//
// Each sorter only ever writes its own counters. The dial is the share of the grades whose counters are in a tray that
// lies beside the other sorters' trays (32 bytes each, two in a line of the cache) instead of in a bin of the sorter's
// own, pages apart. The stores are the same, so only the sharing of lines differs: false sharing. One sorter has no
// neighbour, and loses nothing.
package main

import (
	"math/bits"
	"sync/atomic"
)

const (
	grades    = 64
	classes   = 4
	lotSize   = 2000
	apart     = 1024
	pictureOf = 8
)

// A sorter knows where the counters of each grade are.
type sorter struct {
	slot [grades]int32
	_    [128]byte
}

type line struct {
	sorters []*sorter
	store   []uint64
	next    atomic.Int64
}

func newLine() *line {
	l := &line{sorters: make([]*sorter, threads), store: make([]uint64, (threads+2)*apart)}
	inTrays := int(dial*grades + 0.5)
	for s := range l.sorters {
		one := new(sorter)
		for grade := range grades {
			bin := (s + 1) * apart
			if (grade*29+7)%grades < inTrays {
				bin = s * classes
			}
			one.slot[grade] = int32(bin + grade%classes)
		}
		l.sorters[s] = one
	}
	return l
}

// look takes a kernel's picture apart: what is left of each row after smoothing, its outline, its spots.
func look(kernel uint64) uint64 {
	seed := kernel*0x9E3779B97F4A7C15 + 0x1234567
	seen, above := uint64(0), uint64(0)
	for row := range pictureOf {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		smooth := seed & (seed<<1 | seed>>1) & ^above
		outline := smooth ^ smooth>>1
		seen += uint64(bits.OnesCount64(outline)*(row+3)) + smooth>>57
		above = smooth & seed
	}
	return seen*0xD6E8FEB86659FD93 ^ seed
}

func (l *line) run(me *sorter, store []uint64) {
	for {
		lot := int(l.next.Add(1) - 1)
		if lot >= work {
			return
		}
		for kernel := lot * lotSize; kernel < (lot+1)*lotSize; kernel++ {
			seen := look(uint64(kernel))
			store[me.slot[seen>>58]] += seen & 0xFFFF
		}
	}
}

func main() {
	arguments()
	l := newLine()
	finished := make(chan struct{})
	for _, one := range l.sorters {
		go func() {
			l.run(one, l.store)
			finished <- struct{}{}
		}()
	}
	for range l.sorters {
		<-finished
	}
	sum := uint64(0)
	for i, count := range l.store {
		sum += count * uint64(i%classes*2+1)
	}
	printAnswer(sum)
}
