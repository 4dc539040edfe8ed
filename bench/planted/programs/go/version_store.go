// Serves point and range reads of a small ordered store: a hash table of recent writes above sorted runs. Clients'
// batches wait in a channel; each table that a read looks into is pinned, and unpinned afterwards, so that a merge
// cannot drop it. The dial is the share of the reads that pin the tables of the store's current version, whose
// reference counts all workers change; the others pin through the lease that their worker holds. Both ways cost one
// worker the same, and with two the lines with the counts travel between the cpus at every change: true sharing.
package main

import (
	"sync"
	"sync/atomic"
)

const (
	batchReads = 2000
	recentBits = 9
	keySpace   = 1 << 18
	levels     = 3
)

type entry struct{ key, value uint32 }

// content is what a version consists of; it never changes.
type content struct {
	recent [1 << recentBits]entry
	runs   [levels][]entry
}

// count is a reference count, alone on its lines of the cache.
type count struct {
	pins atomic.Int64
	_    [120]byte
}

// version is a way to pin a content's tables: the recent writes, and then the runs.
type version struct {
	_      [128]byte
	counts [1 + levels]count
	data   *content
	_      [128]byte
}

func (v *version) pin(table int)   { v.counts[table].pins.Add(1) }
func (v *version) unpin(table int) { v.counts[table].pins.Add(-1) }

// left is the number of pins that nobody took back.
func (v *version) left() uint64 {
	var sum int64
	for table := range v.counts {
		sum += v.counts[table].pins.Load()
	}
	return uint64(sum)
}

type random uint64

func (r *random) next() uint32 {
	*r = *r*6364136223846793005 + 1442695040888963407
	return uint32(*r >> 33)
}

func slot(key uint32) uint32 { return key * 0x9E3779B1 >> (32 - recentBits) }

func filled() *content {
	c := new(content)
	r := random(20)
	for range 300 {
		e := entry{r.next()%keySpace + 1, r.next()}
		c.recent[slot(e.key)] = e
	}
	for level := range c.runs {
		size := 64 << (2 * level)
		step := uint32(keySpace / size)
		for i := range size {
			c.runs[level] = append(c.runs[level], entry{uint32(i)*step + r.next()%step + 1, r.next()})
		}
	}
	return c
}

// seek returns the index of the first entry of a run whose key is not below the one asked for. Runs have one entry in
// each stretch of keys, so the place is known but for one.
func seek(run []entry, key uint32) int {
	at := int(uint64(key-1) * uint64(len(run)) / keySpace)
	if run[at].key < key {
		at++
	}
	return at
}

// get returns the newest value of a key, or that of the next key in the oldest run.
func (v *version) get(key uint32) uint64 {
	v.pin(0)
	e := v.data.recent[slot(key)]
	v.unpin(0)
	if e.key == key {
		return uint64(e.value)
	}
	for level, run := range v.data.runs {
		v.pin(1 + level)
		e = run[seek(run, key)%len(run)]
		v.unpin(1 + level)
		if e.key == key {
			return uint64(e.value) + uint64(level)
		}
	}
	return uint64(e.value)
}

// scan merges the runs from a key on, and sums up a few entries.
func (v *version) scan(key uint32) uint64 {
	var at [levels]int
	for level, run := range v.data.runs {
		v.pin(1 + level)
		at[level] = seek(run, key)
	}
	var sum uint64
	for range 4 {
		least, from := entry{key: ^uint32(0)}, 0
		for level, run := range v.data.runs {
			if at[level] < len(run) && run[at[level]].key < least.key {
				least, from = run[at[level]], level
			}
		}
		at[from]++
		sum = sum*31 + uint64(least.value)
	}
	for level := range v.data.runs {
		v.unpin(1 + level)
	}
	return sum
}

type store struct {
	current version
	limit   uint32
}

// serve answers the reads of a batch.
func (s *store) serve(batch int, lease *version) uint64 {
	r := random(batch)*0x9E3779B97F4A7C15 + 7
	var sum uint64
	for range batchReads {
		key := r.next()%keySpace + 1
		pinned := lease
		if r.next()>>1 < s.limit {
			pinned = &s.current
		}
		if key%8 == 0 {
			sum += pinned.scan(key)
		} else {
			sum += pinned.get(key)
		}
	}
	return sum
}

func main() {
	arguments()
	s := &store{limit: uint32(dial * (1 << 30))}
	s.current.data = filled()
	batches := make(chan int, work)
	for batch := range work {
		batches <- batch
	}
	close(batches)
	answers := make(chan uint64, threads)
	var clients sync.WaitGroup
	for range threads {
		clients.Go(func() {
			lease := &version{data: s.current.data}
			var sum uint64
			for batch := range batches {
				sum += s.serve(batch, lease)
			}
			answers <- sum + lease.left()
		})
	}
	clients.Wait()
	close(answers)
	sum := s.current.left()
	for one := range answers {
		sum += one
	}
	printAnswer(sum)
}
