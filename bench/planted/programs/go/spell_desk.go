// Spell desk: finds the nearest dictionary word (by edit distance) for misspelt words that come in batches. Every
// goroutine owns a desk with its own mailbox; words are put into the mailboxes before a batch starts, and the next
// batch begins when all desks have answered (a barrier of a mutex and a condition variable).
// The dial skews the mailboxes: the first desk gets 1 + dial times its fair part and the last 1 - dial times, so one
// goroutine works on while the others are idle at the barrier. The words, and what each costs, stay the same.
package main

import "sync"

const (
	wordLength = 10
	dictionary = 60
	batchWords = 500
)

type word [wordLength]byte

func makeWord(seed uint64) (w word) {
	x := seed*0x9E3779B97F4A7C15 + 12345
	for i := range w {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		w[i] = byte('a' + x>>20%11)
	}
	return w
}

func distance(a, b *word) int {
	var row [wordLength + 1]int
	for j := range row {
		row[j] = j
	}
	for i := 0; i < wordLength; i++ {
		corner := row[0]
		row[0] = i + 1
		for j := 0; j < wordLength; j++ {
			best := corner
			if a[i] != b[j] {
				best++
			}
			if up := row[j+1] + 1; up < best {
				best = up
			}
			if left := row[j] + 1; left < best {
				best = left
			}
			corner = row[j+1]
			row[j+1] = best
		}
	}
	return row[wordLength]
}

type barrier struct {
	lock    sync.Mutex
	all     *sync.Cond
	arrived int
	round   int
}

func (b *barrier) wait() {
	b.lock.Lock()
	defer b.lock.Unlock()
	round := b.round
	b.arrived++
	if b.arrived == threads {
		b.arrived = 0
		b.round++
		b.all.Broadcast()
		return
	}
	for round == b.round {
		b.all.Wait()
	}
}

type desk struct {
	number    int
	mailboxes [][]word // one a batch
	words     []word
	score     uint64
}

// upTo says how many words of a batch go to the desks before the given one.
func upTo(number int) int {
	fair := float64(number)
	if threads > 1 {
		fair = fair*(1+dial) - dial*fair*(fair-1)/float64(threads-1)
	}
	return int(fair/float64(threads)*batchWords + 0.5)
}

func (d *desk) serve(b *barrier) {
	var score uint64
	for _, box := range d.mailboxes {
		for i := range box {
			nearest, which := wordLength+1, 0
			for j := range d.words {
				if apart := distance(&box[i], &d.words[j]); apart < nearest {
					nearest, which = apart, j
				}
			}
			score += uint64(nearest*1000+which) * uint64(box[i][0])
		}
		b.wait()
	}
	d.score = score
}

func main() {
	arguments()
	words := make([]word, dictionary)
	for i := range words {
		words[i] = makeWord(uint64(i) + 1)
	}
	desks := make([]*desk, threads)
	for t := range desks {
		desks[t] = &desk{number: t, words: words}
	}
	for batch := 0; batch < work; batch++ {
		letters := make([]word, batchWords)
		for i := range letters {
			letters[i] = makeWord(uint64(batch*batchWords+i) + 1000003)
		}
		for _, d := range desks {
			d.mailboxes = append(d.mailboxes, letters[upTo(d.number):upTo(d.number+1)])
		}
	}
	b := &barrier{}
	b.all = sync.NewCond(&b.lock)
	var closed sync.WaitGroup
	for _, d := range desks {
		closed.Add(1)
		go func() {
			defer closed.Done()
			d.serve(b)
		}()
	}
	closed.Wait()
	var sum uint64
	for _, d := range desks {
		sum += d.score
	}
	printAnswer(sum)
}
