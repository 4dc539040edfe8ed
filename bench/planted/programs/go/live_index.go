// Builds an index of words over documents: how often each word occurs, in how many documents, and where.
//
//	live_index THREADS DIAL WORK
//
// Workers take documents from a channel. The words of a document's first part (DIAL of it, its "abstract") go into the
// live index, which searches may read at any time and which one mutex guards; those of the rest go into the worker's own
// segment. WORK is the number of documents.
package main

import (
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"sync"
)

const (
	slots         = 1 << 13
	wordsPerDoc   = 1200
	vocabulary    = 5000
	documentsEach = 4 // documents that are handed out together
)

type entry struct {
	word        uint64
	lastDoc     uint32
	documents   uint32
	occurrences uint32
	where       uint64
}

type index struct {
	table [slots]entry
}

// stem folds the letters' case, cuts an ending off, and returns the word as a number.
func stem(word []byte) uint64 {
	n := len(word)
	for _, ending := range []string{"ing", "ed", "s"} {
		if n > len(ending)+2 && string(word[n-len(ending):n]) == ending {
			n -= len(ending)
			break
		}
	}
	h := uint64(14695981039346656037)
	for _, c := range word[:n] {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h | 1
}

func (ix *index) add(word []byte, doc uint32, position int) {
	key := stem(word)
	at := key >> 20 % slots
	for ix.table[at].word != key && ix.table[at].word != 0 {
		at = (at + 1) % slots
	}
	e := &ix.table[at]
	e.word = key
	if e.lastDoc != doc+1 {
		e.lastDoc = doc + 1
		e.documents++
	}
	e.occurrences++
	e.where += uint64(position) ^ uint64(doc)
}

// addText adds the words of a text, whose first one is at `position` in its document.
func (ix *index) addText(text []byte, doc uint32, position int) int {
	from := 0
	for i, c := range text {
		if c == ' ' {
			ix.add(text[from:i], doc, position)
			position++
			from = i + 1
		}
	}
	return position
}

// write fills a buffer with a document, and returns it with the offset at which a share of its words ends.
func write(buffer []byte, doc uint32, share float64) ([]byte, int) {
	const letters = "etaoinshrdlucmfwygpbv"
	state := uint64(doc)*0x9e3779b97f4a7c15 + 7
	buffer = buffer[:0]
	cut := 0
	for w := range wordsPerDoc {
		if w == int(share*wordsPerDoc) {
			cut = len(buffer)
		}
		state = state*6364136223846793005 + 1442695040888963407
		number := uint32(state>>40) % vocabulary
		number = number * (uint32(state>>34) & 63) / 63
		for length := 3 + number%6; length > 0; length-- {
			number = number*1103515245 + 12345
			buffer = append(buffer, letters[number>>16%uint32(len(letters))])
		}
		if number&0x300 == 0 {
			buffer = append(buffer, "ing"...)
		}
		buffer = append(buffer, ' ')
	}
	if share >= 1 {
		cut = len(buffer)
	}
	return buffer, cut
}

func main() {
	threads, _ := strconv.Atoi(os.Args[1])
	share, _ := strconv.ParseFloat(os.Args[2], 64)
	documents, _ := strconv.Atoi(os.Args[3])

	var live index
	var guard sync.Mutex
	segments := make([]index, threads)
	todo := make(chan uint32, documents/documentsEach+1)
	for doc := 0; doc < documents; doc += documentsEach {
		todo <- uint32(doc)
	}
	close(todo)
	var workers sync.WaitGroup
	for t := range threads {
		workers.Go(func() {
			own := &segments[t]
			var text []byte
			var cut int
			for first := range todo {
				for doc := first; doc < min(first+documentsEach, uint32(documents)); doc++ {
					text, cut = write(text, doc, share)
					position := 0
					if cut > 0 {
						guard.Lock()
						position = live.addText(text[:cut], doc, 0)
						guard.Unlock()
					}
					own.addText(text[cut:], doc, position)
				}
			}
		})
	}
	workers.Wait()

	words := map[uint64]entry{}
	for t := -1; t < threads; t++ {
		ix := &live
		if t >= 0 {
			ix = &segments[t]
		}
		for _, e := range ix.table {
			sum := words[e.word]
			sum.occurrences += e.occurrences
			sum.where += e.where
			words[e.word] = sum
		}
	}
	digest := uint64(0)
	for word, e := range words {
		digest += word * (uint64(e.occurrences)<<32 + bits.RotateLeft64(e.where, 17))
	}
	fmt.Printf("%d words %016x\n", len(words)-1, digest)
}
