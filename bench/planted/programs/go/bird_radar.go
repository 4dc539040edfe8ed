// Tracks birds on radar: trackers take sweeps from a channel, each builds a quadtree of a sweep's echoes and counts those
// close to each other. A gallery keeps the trees of many sweeps for replay: some hundred thousand small objects.
//
// The dial is the share of the sweeps that are built from fresh nodes and pictures, and replace an older tree in the
// gallery; for the others a tracker uses its own nodes and picture again. The allocation makes the collector mark the
// gallery again and again. Go keeps a processor for each cpu, so with one tracker the collector has the other cpu to
// itself; two trackers share both with it, help it and wait for it: garbage collection.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

const (
	echoes   = 160
	gallery  = 320 // trees that are kept for replay
	picture  = 160 // a picture is so many pixels wide and high
	layers   = 4   // pictures for a sweep, one a layer of heights
	perBatch = 16  // sweeps handed over at once
	reach    = 2.5
)

type echo struct{ x, y float32 }

// node is a quadrant of the sky. A leaf has one echo.
type node struct {
	quarters   [4]*node
	echo       *echo
	centre     echo
	half       float32
	population int32
}

// stock hands out nodes: fresh ones, or the same ones again for every sweep.
type stock struct {
	fresh bool
	used  int
	nodes []node
}

func (s *stock) node(centre echo, half float32) *node {
	if s.fresh {
		return &node{centre: centre, half: half}
	}
	if s.used == len(s.nodes) {
		panic("too many nodes")
	}
	n := &s.nodes[s.used]
	s.used++
	*n = node{centre: centre, half: half}
	return n
}

func (n *node) quarter(e *echo, s *stock) **node {
	at, centre, half := 0, n.centre, n.half/2
	if e.x >= n.centre.x {
		at, centre.x = at+1, centre.x+half
	} else {
		centre.x -= half
	}
	if e.y >= n.centre.y {
		at, centre.y = at+2, centre.y+half
	} else {
		centre.y -= half
	}
	if n.quarters[at] == nil {
		n.quarters[at] = s.node(centre, half)
	}
	return &n.quarters[at]
}

func (n *node) insert(e *echo, s *stock) {
	for {
		n.population++
		if n.population == 1 || n.half < 0.05 {
			n.echo = e
			return
		}
		if n.echo != nil {
			old := n.echo
			n.echo = nil
			below := *n.quarter(old, s)
			below.population++
			below.echo = old
		}
		n = *n.quarter(e, s)
	}
}

// near counts the echoes within reach of one, and adds up how close they are.
func (n *node) near(e *echo) (count int, closeness uint64) {
	dx, dy := max(n.centre.x-e.x, e.x-n.centre.x), max(n.centre.y-e.y, e.y-n.centre.y)
	if dx > n.half+reach || dy > n.half+reach {
		return 0, 0
	}
	if n.echo != nil {
		dx, dy = n.echo.x-e.x, n.echo.y-e.y
		if far := dx*dx + dy*dy; far < reach*reach {
			return 1, uint64(far * 1000)
		}
		return 0, 0
	}
	for _, below := range n.quarters {
		if below != nil {
			c, d := below.near(e)
			count, closeness = count+c, closeness+d
		}
	}
	return count, closeness
}

type dice uint64

func (d *dice) roll() float32 {
	*d = *d*6364136223846793005 + 1442695040888963407
	return float32(*d>>40) / (1 << 24)
}

func sweep(number int, into *[echoes]echo) {
	d := dice(uint64(number)*0x9E3779B97F4A7C15 + 11)
	for i := range into {
		if i%4 == 0 {
			into[i] = echo{d.roll() * 100, d.roll() * 100}
		} else {
			into[i] = echo{into[i-1].x + d.roll()*6 - 3, into[i-1].y + d.roll()*6 - 3}
		}
	}
}

func tree(points *[echoes]echo, s *stock) *node {
	root := s.node(echo{50, 50}, 128)
	for i := range points {
		root.insert(&points[i], s)
	}
	return root
}

// dot is the row or column of the picture for a coordinate.
func dot(c float32) int { return int(max(0, min(99, c))) * picture / 100 }

func blank() (pictures [layers][]byte) {
	for i := range pictures {
		pictures[i] = make([]byte, picture*picture)
	}
	return pictures
}

type tracker struct {
	own      stock
	points   [echoes]echo
	pixels   [layers][]byte
	kept     []*node
	next     int
	sum      uint64
	keepsFor float64
}

// track does all that is to do for a sweep; keeping it costs memory, but is the same work.
func (t *tracker) track(number int, keep bool) {
	s, points, pixels := &t.own, &t.points, t.pixels
	s.used = 0
	if keep {
		s, points, pixels = &stock{fresh: true}, new([echoes]echo), blank()
	}
	sweep(number, points)
	root := tree(points, s)
	for _, layer := range pixels {
		clear(layer)
	}
	for i := range points {
		e := &points[i]
		count, closeness := root.near(e)
		pixel := &pixels[i%layers][dot(e.y)*picture+dot(e.x)]
		*pixel += byte(count)
		t.sum += uint64(count)*1000003 + closeness*uint64(1+*pixel)
	}
	if keep {
		t.kept[t.next%len(t.kept)] = root
		t.next++
	}
}

func (t *tracker) run(batches <-chan int, last int) {
	// A gallery of earlier sweeps.
	for i := range t.kept {
		var points = new([echoes]echo)
		sweep(-1-i%32, points)
		t.kept[i] = tree(points, &stock{fresh: true})
	}
	for begin := range batches {
		for number := begin; number < min(begin+perBatch, last); number++ {
			share := float64(uint64(number+1)*0x9E3779B97F4A7C15>>11) / (1 << 53)
			t.track(number, share < t.keepsFor)
		}
	}
}

func number(word string) float64 {
	value, err := strconv.ParseFloat(word, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	count, dial, sweeps := int(number(os.Args[1])), number(os.Args[2]), int(number(os.Args[3]))
	batches := make(chan int, sweeps/perBatch+1)
	for begin := 0; begin < sweeps; begin += perBatch {
		batches <- begin
	}
	close(batches)
	trackers := make([]*tracker, count)
	var all sync.WaitGroup
	for i := range trackers {
		t := &tracker{keepsFor: dial, pixels: blank(), kept: make([]*node, gallery/count)}
		t.own.nodes = make([]node, 8*echoes)
		trackers[i] = t
		all.Go(func() { t.run(batches, sweeps) })
	}
	all.Wait()
	var sum uint64
	for _, t := range trackers {
		sum += t.sum
	}
	fmt.Printf("%d of %d sweeps: %016x\n", sweeps, sweeps, sum)
}
