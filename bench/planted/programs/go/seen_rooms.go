// True sharing: sends robots at random through a house with 64 rooms, and notes in a word of 64 bits which were seen.
//
// The dial is the share of the robots that note every room in the one word of all goroutines, by an atomic or; all
// others note it in a word of the goroutine's own, on its own cache line and by the same instruction. The words are
// joined in the end. Nobody reads them on the way, there is no lock, and robots walk equally far.
package main

import "sync/atomic"

const (
	steps = 14
	walk  = 400
)

// doors has the four rooms beside each room.
var doors [64][4]uint8

type notes struct {
	_    [128]byte
	seen atomic.Uint64
}

func main() {
	arguments()
	for room := range doors {
		for door := range doors[room] {
			doors[room][door] = uint8(unit(room*4+door, 8) >> 58)
		}
	}
	words := make([]notes, threads+1)
	sum := inThreads(func(thread int) uint64 {
		var sum uint64
		for robot := first(thread); robot < first(thread+1); robot++ {
			word := &words[thread].seen
			if picked(robot) {
				word = &words[threads].seen
			}
			room, path := uint8(robot%64), uint64(robot)
			for k := range walk {
				room = doors[room][unit(robot*walk+k, steps)>>62]
				word.Or(1 << room)
				path = path*31 + uint64(room)
			}
			sum += path
		}
		return sum
	})
	var seen uint64
	for at := range words {
		seen |= words[at].seen.Load()
	}
	printAnswer(sum ^ seen)
}
