// Scores the rounds of recorded matches for a highlights page: a producer queues clips, goroutines play them on a small
// field of players and balls, and a collector adds up what they score. A record can only be played from the beginning
// of its round, where everybody stands at a known place.
//
// The dial is the share of rounds that are cut into as many clips as there are threads. Who plays a later clip must
// first play the round from its beginning, unscored, which one thread with a single clip for each round never does: the
// more threads, the more instructions for the same answer, while nobody waits for anybody. That is instruction growth.
package main

import "sync"

const (
	ticks   = 240
	players = 22
	size    = 1 << 16
)

// clip is a part of a round: the ticks that are scored.
type clip struct {
	round, from, to int
}

type vector struct{ x, y int32 }

type player struct {
	at, speed vector
	stamina   int32
}

// field is the state of a round at some tick.
type field struct {
	team [players]player
	ball vector
	fly  vector
	dice uint64
}

func (f *field) roll() int32 {
	f.dice = f.dice*6364136223846793005 + 1442695040888963407
	return int32(f.dice >> 40 & 0xFFFF)
}

// kickOff puts everybody where they stand at the beginning of a round.
func (f *field) kickOff(round int) {
	f.dice = unit(round, 8)
	for i := range f.team {
		f.team[i] = player{at: vector{f.roll(), f.roll()}, stamina: 1000 + f.roll()>>8}
	}
	f.ball = vector{size / 2, size / 2}
	f.fly = vector{}
}

func near(a, b vector) int64 {
	dx, dy := int64(a.x-b.x), int64(a.y-b.y)
	return dx*dx + dy*dy
}

func bounded(p *int32, v *int32) {
	if *p < 0 {
		*p, *v = -*p, -*v
	}
	if *p >= size {
		*p, *v = 2*size-1-*p, -*v
	}
}

// step plays one tick and returns the player nearest to the ball.
func (f *field) step() int {
	owner, least := 0, int64(1)<<62
	for i := range f.team {
		p := &f.team[i]
		pull := 16 - p.stamina>>9
		p.speed.x += (f.ball.x-p.at.x)>>pull - p.speed.x>>4
		p.speed.y += (f.ball.y-p.at.y)>>pull - p.speed.y>>4
		// Players keep away from the others of their team.
		for j := i % 2; j < players; j += 2 {
			other := &f.team[j]
			if j != i && near(p.at, other.at) < 1<<24 {
				p.speed.x += (p.at.x - other.at.x) >> 6
				p.speed.y += (p.at.y - other.at.y) >> 6
			}
		}
		p.at.x += p.speed.x
		p.at.y += p.speed.y
		bounded(&p.at.x, &p.speed.x)
		bounded(&p.at.y, &p.speed.y)
		p.stamina -= (p.speed.x>>8)*(p.speed.x>>8)>>6 - 1
		p.stamina = min(max(p.stamina, 0), 2000)
		if far := near(p.at, f.ball); far < least {
			owner, least = i, far
		}
	}
	if least < 1<<22 {
		f.fly = vector{f.roll()>>4 - 2048, f.roll()>>4 - 2048}
	}
	f.ball.x += f.fly.x
	f.ball.y += f.fly.y
	bounded(&f.ball.x, &f.fly.x)
	bounded(&f.ball.y, &f.fly.y)
	f.fly.x -= f.fly.x >> 5
	f.fly.y -= f.fly.y >> 5
	return owner
}

// play scores a clip, after it has caught up from the round's beginning.
func play(f *field, c clip) uint64 {
	f.kickOff(c.round)
	for range c.from {
		f.step()
	}
	var score uint64
	for tick := c.from; tick < c.to; tick++ {
		owner := f.step()
		pace := uint64(uint32(f.team[owner].speed.x ^ f.team[owner].speed.y))
		score += (pace + uint64(owner+1)*uint64(tick+1)) * 0x9E3779B97F4A7C15
	}
	return score
}

// produce queues the clips of all rounds.
func produce(queue chan<- clip) {
	for round := range work {
		parts := 1
		if picked(round) {
			parts = threads
		}
		for part := range parts {
			queue <- clip{round, ticks * part / parts, ticks * (part + 1) / parts}
		}
	}
	close(queue)
}

func main() {
	arguments()
	queue := make(chan clip, 256)
	scores := make(chan uint64, threads)
	go produce(queue)
	var players sync.WaitGroup
	for range threads {
		players.Add(1)
		go func() {
			defer players.Done()
			var f field
			var sum uint64
			for c := range queue {
				sum += play(&f, c)
			}
			scores <- sum
		}()
	}
	go func() {
		players.Wait()
		close(scores)
	}()
	var answer uint64
	for score := range scores {
		answer += score
	}
	printAnswer(answer)
}
