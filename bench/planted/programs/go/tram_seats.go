// Plans trips through a tram network and keeps the ledger of reserved seats.
//
// A trip is planned by searching the network for the quickest way, with a goroutine's own scratch memory, and is then
// entered. The dial is the share of the trips with a reservation: these are planned while the ledger's mutex is held, so
// that nobody takes the seats meanwhile. All other trips are planned without it. A search takes about 80 us.
package main

import (
	"sync"
	"sync/atomic"
)

const (
	stops = 1200
	links = 4
	batch = 4
	never = 1 << 30
)

type network struct {
	to   [stops][links]int16
	ride [stops][links]int32
}

type planner struct {
	net   *network
	reach [stops]int32
	from  [stops]int16
	queue []entry
}

type entry struct {
	at   int32
	stop int16
}

type ledger struct {
	sync.Mutex
	seats   uint64
	entered int
}

func layOut() *network {
	net := new(network)
	for s := range stops {
		for l, ahead := range []int{1, stops - 1, 20, stops - 20} {
			net.to[s][l] = int16((s + ahead) % stops)
			net.ride[s][l] = int32(40 + unit(s*links+l, 3)>>57)
		}
	}
	return net
}

func (p *planner) push(e entry) {
	p.queue = append(p.queue, e)
	i := len(p.queue) - 1
	for i > 0 {
		up := (i - 1) / 2
		if p.queue[up].at <= e.at {
			break
		}
		p.queue[i] = p.queue[up]
		i = up
	}
	p.queue[i] = e
}

func (p *planner) pop() entry {
	top := p.queue[0]
	last := p.queue[len(p.queue)-1]
	p.queue = p.queue[:len(p.queue)-1]
	n, i := len(p.queue), 0
	for {
		low := 2*i + 1
		if low >= n {
			break
		}
		if low+1 < n && p.queue[low+1].at < p.queue[low].at {
			low++
		}
		if p.queue[low].at >= last.at {
			break
		}
		p.queue[i] = p.queue[low]
		i = low
	}
	if n > 0 {
		p.queue[i] = last
	}
	return top
}

// plan finds the quickest ways from one stop to all others at an hour, and sums up the one that was asked for.
func (p *planner) plan(trip int) uint64 {
	draw := unit(trip, 4)
	start, goal, hour := int16(draw>>8%stops), int16(draw>>24%stops), int32(draw>>60)
	for s := range p.reach {
		p.reach[s] = never
	}
	p.queue = p.queue[:0]
	p.reach[start] = 0
	p.push(entry{0, start})
	for len(p.queue) > 0 {
		here := p.pop()
		if here.at > p.reach[here.stop] {
			continue
		}
		for l, next := range p.net.to[here.stop] {
			at := here.at + p.net.ride[here.stop][l] + (here.at>>5+hour)&7
			if at < p.reach[next] {
				p.reach[next] = at
				p.from[next] = here.stop
				p.push(entry{at, next})
			}
		}
	}
	sum := uint64(p.reach[goal])
	for s := goal; s != start; s = p.from[s] {
		sum = sum*33 + uint64(s)
	}
	return sum
}

func main() {
	arguments()
	net := layOut()
	book := new(ledger)
	var next atomic.Int64
	own := inThreads(func(int) uint64 {
		p := &planner{net: net, queue: make([]entry, 0, 4*stops)}
		var sum uint64
		for {
			low := int(next.Add(batch)) - batch
			if low >= work {
				return sum
			}
			for trip := low; trip < min(low+batch, work); trip++ {
				if !picked(trip) {
					sum += p.plan(trip)
					continue
				}
				book.Lock()
				book.seats += p.plan(trip)
				book.entered++
				book.Unlock()
			}
		}
	})
	printAnswer(own + book.seats)
}
