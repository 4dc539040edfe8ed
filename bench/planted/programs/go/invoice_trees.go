// Parses a feed of nested invoices: a pool of readers takes batches of invoice numbers from a channel, writes each
// invoice's text, parses it to a tree of small nodes, and adds up a checksum; the newest trees stay in a shared window.
//
// The dial lowers the collector's percentage (off at dial 0), so that the live trees are marked more often; what is
// computed and allocated stays as it is. Go may use all cpus at any number of readers: with one reader the marking runs
// on a cpu that is idle anyway, with two it takes its time (and write barriers, and assists) from the readers, which is
// the cause garbage collection.
package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

const (
	kept      = 1024 // invoices in the window
	batchSize = 8
)

type node struct {
	tag    byte
	amount int64
	parent *node
	lines  []*node
}

type batch struct{ from, to int }

type reader struct {
	text []byte
	pos  int
}

// write makes the text of an invoice: "a123(b45(c6)d78)...", with a number for every tag.
func (r *reader) write(number int) {
	r.text, r.pos = r.text[:0], 0
	state := uint64(number)*0x9E3779B97F4A7C15 + 77
	depth := 0
	for i := 0; i < 110; i++ {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		r.text = append(r.text, 'a'+byte(state%26))
		for v := state >> 40 % 100000; v > 0; v /= 10 {
			r.text = append(r.text, '0'+byte(v%10))
		}
		switch {
		case depth < 6 && state>>20&3 == 0:
			r.text = append(r.text, '(')
			depth++
		case depth > 0 && state>>24&3 == 0:
			r.text = append(r.text, ')')
			depth--
		}
	}
	for ; depth > 0; depth-- {
		r.text = append(r.text, ')')
	}
}

func (r *reader) parse(parent *node) []*node {
	var lines []*node
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		switch {
		case c == ')':
			r.pos++
			return lines
		case c == '(':
			r.pos++
			last := lines
			if len(last) == 0 {
				lines = append(lines, &node{tag: '_', parent: parent})
			}
			top := lines[len(lines)-1]
			top.lines = append(top.lines, r.parse(top)...)
		default:
			r.pos++
			one := &node{tag: c, parent: parent}
			for r.pos < len(r.text) && r.text[r.pos] >= '0' && r.text[r.pos] <= '9' {
				one.amount = one.amount*10 + int64(r.text[r.pos]-'0')
				r.pos++
			}
			lines = append(lines, one)
		}
	}
	return lines
}

// taxed spreads an amount over the months of a year at a rate that depends on the tag.
func taxed(n *node, depth int) uint64 {
	sum := uint64(n.amount) * uint64(n.tag)
	x := float64(n.amount + 1)
	for month := 0; month < 75; month++ {
		x = math.Sqrt(x*float64(n.tag) + float64(depth+month))
	}
	sum += uint64(x * 1000)
	for _, line := range n.lines {
		sum = sum*31 + taxed(line, depth+1)
	}
	return sum
}

func main() {
	procs := runtime.GOMAXPROCS(0)
	arguments()
	runtime.GOMAXPROCS(max(procs, threads))
	percent := -1
	if dial > 0 {
		percent = max(2, int(9/dial))
	}
	debug.SetGCPercent(percent)

	var window [kept]atomic.Pointer[node]
	var total atomic.Uint64
	batches := make(chan batch, 2*threads)
	var readers sync.WaitGroup
	for range threads {
		readers.Add(1)
		go func() {
			defer readers.Done()
			var r reader
			var sum uint64
			for b := range batches {
				for i := b.from; i < b.to; i++ {
					r.write(i)
					root := &node{tag: '#'}
					root.lines = r.parse(root)
					sum += taxed(root, 0)
					window[i%kept].Store(root)
				}
			}
			total.Add(sum)
		}()
	}
	for i := 0; i < work; i += batchSize {
		batches <- batch{i, min(i+batchSize, work)}
	}
	close(batches)
	readers.Wait()
	printAnswer(total.Load())
}
