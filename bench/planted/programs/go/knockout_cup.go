// Draws and plays knockout cups by recursion: the winner of a draw is the better of the winners of its two halves. The
// upper levels of the recursion hand one half to another goroutine, until there is one for each thread.
//
// In a few early rounds of the draw, byes are given: the dial says how many more of the matches lie in the first half of
// the top draws than in the second, as a share of all. There is as much to play at any dial, and no half waits for the
// other but at its end: work is only uneven.
package main

import "sync"

const sets = 430

type player struct {
	seed, form uint64
}

// play plays sets; both get tired.
func play(a, b player) player {
	x := a.form*31 ^ b.form
	var won int
	for range sets {
		x = x*6364136223846793005 + (x>>33 | 1)
		if (x>>40)*(a.form&1023+2048) > (x>>16&0xffffff)*(b.form&1023+2048) {
			won++
		}
	}
	if won*2 >= sets {
		return player{a.seed, x | 1}
	}
	return player{b.seed, x | 1}
}

type draw struct {
	from, to int
}

// sum adds up what all matches of a draw say about it, and its winner. A draw of 32 is the smallest: players meet in
// turn, so that the answer does not depend on where draws were divided.
func (d draw) sum() uint64 {
	if n := d.to - d.from; n > 32 {
		middle := d.from + n/2
		return draw{d.from, middle}.sum() + draw{middle, d.to}.sum()
	}
	var total uint64
	for match := d.from; match < d.to; match++ {
		a := player{uint64(2 * match), unit(2*match, 3)}
		b := player{uint64(2*match + 1), unit(2*match+1, 3)}
		winner := play(a, b)
		total += winner.seed*winner.form ^ winner.form>>7
	}
	return total
}

// shared divides a draw among so many goroutines.
func (d draw) shared(goroutines int) uint64 {
	if goroutines <= 1 {
		return d.sum()
	}
	near := (goroutines + 1) / 2
	fair := float64(near) / float64(goroutines)
	share := fair + dial*(1-fair)
	cut := d.from + int(float64(d.to-d.from)*share)
	var far uint64
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		defer done.Done()
		far = draw{cut, d.to}.shared(goroutines - near)
	}()
	total := draw{d.from, cut}.shared(near)
	done.Wait()
	return total + far
}

func main() {
	arguments()
	printAnswer(draw{0, work}.shared(threads))
}
