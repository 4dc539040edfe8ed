// Sleeping lock: counts the words of documents that workers take from a queue.
//
// The dial is the share of the documents that are counted straight into the shared table, by the worker that holds its
// one token (a channel with room for one, used as a lock). It holds it for the whole document, about 90 us, and the
// others are parked until it comes back. All other documents go to a table of the worker's own, added once at the end.
package main

import "sync"

const (
	letters = 40 << 10
	shelf   = 16
	slots   = 512
)

type table [slots]uint64

type store struct {
	token chan struct{}
	live  table
}

func (s *store) with(do func(*table)) {
	s.token <- struct{}{}
	do(&s.live)
	<-s.token
}

// write makes up a text of lower case words.
func write(number int) []byte {
	text := make([]byte, letters)
	x := uint64(number)*0x9E3779B97F4A7C15 + 1
	for i := range text {
		x = x*6364136223846793005 + 1442695040888963407
		if c := x >> 59; c < 26 {
			text[i] = byte('a' + c)
		} else {
			text[i] = ' '
		}
	}
	return text
}

// count adds the words of a text; the language says how words are hashed.
func count(text []byte, language uint64, into *table) {
	hash, length := language, 0
	for _, c := range text {
		if c != ' ' {
			hash = (hash ^ uint64(c)) * 0x100000001B3
			length++
		} else if length > 0 {
			into[(hash>>20)%slots]++
			hash, length = language, 0
		}
	}
}

func main() {
	arguments()
	library := make([][]byte, shelf)
	for i := range library {
		library[i] = write(i)
	}
	queue := make(chan int, work)
	for i := range work {
		queue <- i
	}
	close(queue)

	shared := store{token: make(chan struct{}, 1)}
	var wait sync.WaitGroup
	for range threads {
		wait.Add(1)
		go func() {
			defer wait.Done()
			own := new(table)
			for number := range queue {
				text, language := library[number%shelf], uint64(number%97)
				if picked(number) {
					shared.with(func(live *table) { count(text, language, live) })
				} else {
					count(text, language, own)
				}
			}
			shared.with(func(live *table) {
				for i, n := range own {
					live[i] += n
				}
			})
		}()
	}
	wait.Wait()
	var sum uint64
	for i, n := range shared.live {
		sum = sum*31 + n*uint64(i+1)
	}
	printAnswer(sum)
}
