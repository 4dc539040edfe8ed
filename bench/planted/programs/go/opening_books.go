// Garbage collection: analysts go through the games of tournaments, each with an opening book of his own.
//
// A book is a tree of small nodes, in which the analyst counts how often he came through. For each game he follows the
// book as long as it has the move, and then lists and weighs the variations that were left out; the lists are garbage
// soon. After a tournament a careful programmer has the memory tidied up (runtime.GC()), and the dial is the share of
// the tournaments that end like that. Each collection has to mark all books, those of the others too: twice the threads
// call for the same number of collections, but each has twice as much to mark. Otherwise the heap may grow until
// the program ends. There is no lock in the program.
package main

import (
	"runtime"
	"runtime/debug"
)

const (
	moves   = 6   // that are possible in a position
	depth   = 6   // of the book
	games   = 40  // of a tournament
	lengths = 50  // moves of a game
	steps   = 800 // to weigh a variation
)

type position struct {
	next  [moves]*position
	seen  uint32
	worth uint32
}

// book makes all positions down to a depth.
func book(left int, key uint32) *position {
	made := &position{worth: key >> 8}
	if left > 0 {
		for move := range made.next {
			made.next[move] = book(left-1, key*1664525+1013904223+uint32(move))
		}
	}
	return made
}

type variation struct {
	at    int
	moves []byte
}

// variations lists what could have been played instead, from the end of the book.
func variations(game []byte, from int) []variation {
	var all []variation
	for at := from; at < len(game); at += 8 {
		line := append([]byte(nil), game[:at]...)
		all = append(all, variation{at, append(line, (game[at]+1)%moves)})
	}
	return all
}

// analysed is what a game is worth; game is a buffer for its moves.
func analysed(opening *position, number int, game []byte) uint64 {
	x := unit(number, len(game))
	for at := range game {
		x = x*6364136223846793005 + 1442695040888963407
		game[at] = byte(x >> 40 % moves)
	}
	var sum uint64
	at := 0
	for here := opening; here != nil && at < len(game); at++ {
		here.seen++
		sum += uint64(here.worth)
		here = here.next[game[at]]
	}
	for _, one := range variations(game, at) {
		key := one.at
		for _, move := range one.moves {
			key = key*moves + int(move)
		}
		sum += unit(key, steps) >> 20
	}
	return sum
}

func main() {
	arguments()
	debug.SetGCPercent(-1)
	printAnswer(inThreads(func(thread int) uint64 {
		opening := book(depth, 17)
		game := make([]byte, lengths)
		var sum uint64
		for tournament := first(thread); tournament < first(thread+1); tournament++ {
			for number := range games {
				sum += analysed(opening, tournament*games+number, game)
			}
			if picked(tournament) {
				runtime.GC()
			}
		}
		return sum
	}))
}
