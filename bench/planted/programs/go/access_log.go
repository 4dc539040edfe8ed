// Decoy for garbage collection: reads a web server's access log in batches and counts sessions, bytes and errors.
//
// A feeder sends batch numbers into a channel, readers parse a batch each and send a summary to the one who adds up.
// The dial is the share of the batches that are parsed into fresh records, strings and maps, as one writes it at
// first; the rest goes into records that the reader uses again. So the collector runs often at a high dial and
// allocation is seen in every profile, but the live heap is tiny, each collection short, and all of it divides among
// the threads: one thread pays as much for it as two.
package main

import (
	"fmt"
	"strconv"
	"sync"
)

const (
	batchLines = 400
	hosts      = 97
)

type record struct {
	raw    []byte
	host   []byte
	path   []byte
	status int
	size   int
}

type summary struct {
	batch    int
	sessions int
	bytes    int
	errors   int
	digest   uint64
}

type reader struct {
	line    []byte
	records []record
	seen    map[string]int
}

func mixed(x uint64) uint64 {
	x = (x + 1) * 0x9E3779B97F4A7C15
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	return x ^ x>>32
}

// writeLine is what the server would have written; it uses the space of the line before.
func writeLine(line []byte, batch, number int) []byte {
	x := mixed(uint64(batch)<<20 + uint64(number))
	line = append(line[:0], "10.7."...)
	line = strconv.AppendUint(line, x%hosts, 10)
	line = append(line, " - - \"GET /shop/"...)
	line = strconv.AppendUint(line, x>>8&0xFFFFF, 36)
	line = append(line, "/item?ref="...)
	line = strconv.AppendUint(line, x>>28, 16)
	line = append(line, "\" "...)
	status := uint64(200)
	if x>>40%19 == 0 {
		status = 404 + x>>50%2*99
	}
	line = strconv.AppendUint(line, status, 10)
	line = append(line, ' ')
	return strconv.AppendUint(line, x>>33%90000, 10)
}

func number(text []byte) int {
	n := 0
	for _, c := range text {
		n = n*10 + int(c-'0')
	}
	return n
}

func until(text []byte, stop byte) (field, rest []byte) {
	for i, c := range text {
		if c == stop {
			return text[:i], text[i+1:]
		}
	}
	return text, nil
}

func parse(line []byte, into *record) {
	into.raw = append(into.raw[:0], line...)
	host, rest := until(into.raw, ' ')
	_, rest = until(rest, '"')
	request, rest := until(rest, '"')
	_, path := until(request, ' ')
	status, size := until(rest[1:], ' ')
	into.host = append(into.host[:0], host...)
	into.path = append(into.path[:0], path...)
	into.status, into.size = number(status), number(size)
}

// digest is the checksum that the archive keeps of a path.
func digest(path []byte) uint64 {
	h := uint64(14695981039346656037)
	for round := 0; round < 3; round++ {
		for _, c := range path {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	return h
}

// read parses a batch into records of its own, or into those of the reader.
func (r *reader) read(batch int, fresh bool) summary {
	records, seen := r.records, r.seen
	if fresh {
		records, seen = make([]record, batchLines), make(map[string]int)
	} else {
		clear(seen)
	}
	for i := range records {
		r.line = writeLine(r.line, batch, i)
		parse(r.line, &records[i])
	}
	sum := summary{batch: batch}
	for i := range records {
		one := &records[i]
		if count, known := seen[string(one.host)]; known {
			seen[string(one.host)] = count + 1
		} else {
			seen[string(one.host)] = 1
		}
		sum.bytes += one.size
		if one.status >= 400 {
			sum.errors++
		}
		sum.digest += digest(one.path) + uint64(len(one.raw))
	}
	sum.sessions = len(seen)
	return sum
}

func main() {
	arguments()
	batches, summaries := make(chan int, 64), make(chan summary, 64)
	go func() {
		for batch := range work {
			batches <- batch
		}
		close(batches)
	}()
	var readers sync.WaitGroup
	for range threads {
		readers.Add(1)
		go func() {
			defer readers.Done()
			r := &reader{records: make([]record, batchLines), seen: make(map[string]int)}
			for batch := range batches {
				summaries <- r.read(batch, picked(batch))
			}
		}()
	}
	go func() {
		readers.Wait()
		close(summaries)
	}()
	var all summary
	for one := range summaries {
		all.sessions += one.sessions
		all.bytes += one.bytes
		all.errors += one.errors
		all.digest += one.digest * uint64(one.batch+1)
	}
	fmt.Printf("%d sessions, %d bytes, %d errors, %016x\n", all.sessions, all.bytes, all.errors, all.digest)
}
