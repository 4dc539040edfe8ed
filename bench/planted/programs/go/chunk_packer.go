// Decoy for imbalance, too few tasks and locks: packs a stream of records in chunks, with a window search for repeats
// as in LZ77 compressors. Chunks become ever more unequal with the dial: at 1 the largest has some 50 times the records
// of the smallest. But packers fetch them longest first, with a mutex around the queue that is held for nanoseconds,
// and the last chunks are small; so packers end together and no time is lost at any dial.
package main

import (
	"container/heap"
	"math"
	"sync"
)

const recordSize = 1024

type chunk struct{ from, to int }

type longest []chunk

func (q longest) Len() int           { return len(q) }
func (q longest) Less(a, b int) bool { return q[a].to-q[a].from > q[b].to-q[b].from }
func (q longest) Swap(a, b int)      { q[a], q[b] = q[b], q[a] }
func (q *longest) Push(x any)        { *q = append(*q, x.(chunk)) }
func (q *longest) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// divide cuts all records in chunks of unequal length.
func divide(records int) *longest {
	const chunks = 120
	weights := make([]float64, chunks)
	var total float64
	for i := range weights {
		x := float64(i*37%chunks) / chunks
		weights[i] = math.Exp(4 * dial * x)
		total += weights[i]
	}
	q := new(longest)
	var sum float64
	from := 0
	for _, w := range weights {
		sum += w
		to := int(math.Round(sum / total * float64(records)))
		if to > from {
			*q = append(*q, chunk{from, to})
		}
		from = to
	}
	heap.Init(q)
	return q
}

type packer struct {
	record [recordSize]byte
	last   [4096]int16
}

// pack returns a checksum of the literals and copies that a record is packed to.
func (p *packer) pack(number int) uint64 {
	state := uint32(number)*2246822519 + 1
	for i := range p.record {
		state = state*1664525 + 1013904223
		p.record[i] = "abcdeeet aion,"[state>>24%14]
		if state>>16&31 == 0 && i > 40 {
			p.record[i] = p.record[i-37]
		}
	}
	for i := range p.last {
		p.last[i] = -1
	}
	var sum uint64
	for at := 0; at+3 < recordSize; {
		key := (uint32(p.record[at])*33*33 + uint32(p.record[at+1])*33 + uint32(p.record[at+2])) & 4095
		before := p.last[key]
		p.last[key] = int16(at)
		length := 0
		if before >= 0 {
			for at+length < recordSize && p.record[int(before)+length] == p.record[at+length] {
				length++
			}
		}
		if length >= 3 {
			sum = sum*131 + uint64(length)<<16 + uint64(at-int(before))
			at += length
		} else {
			sum = sum*131 + uint64(p.record[at])
			at++
		}
	}
	return sum
}

func main() {
	arguments()
	queue := divide(work)
	var lock sync.Mutex
	sums := make(chan uint64)
	for range threads {
		go func() {
			p := new(packer)
			var sum uint64
			for {
				lock.Lock()
				if queue.Len() == 0 {
					lock.Unlock()
					break
				}
				c := heap.Pop(queue).(chunk)
				lock.Unlock()
				for i := c.from; i < c.to; i++ {
					sum += p.pack(i)
				}
			}
			sums <- sum
		}()
	}
	var sum uint64
	for range threads {
		sum += <-sums
	}
	printAnswer(sum)
}
