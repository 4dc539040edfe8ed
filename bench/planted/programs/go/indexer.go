// A search index over a collection of documents, built by several goroutines and checked before it is published.
//
//	indexer THREADS DIAL WORK
//
// WORK is the number of documents. DIAL (0 to 1) is the share of documents that are checked: once the index is complete,
// they are read again and looked up in it.
package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
)

const (
	indexVocabulary = 6000
	indexDocWords   = 180
	indexShards     = 32
)

type posting struct {
	doc   int32
	count int32
}

// segment is what one worker has read: the words by number, and where they occur.
type segment struct {
	numbers map[string]int32
	lists   [][]posting
	words   []string
}

type searchIndex struct {
	shards [indexShards]map[string][]posting
}

// documentText makes up a document: words of three to nine letters, the frequent ones short.
func documentText(doc int, buf []byte) []byte {
	seed := uint64(doc)*0x9e3779b97f4a7c15 + 12345
	for w := 0; w < indexDocWords; w++ {
		seed = seed*6364136223846793005 + 1442695040888963407
		u := float64(seed>>40) / (1 << 24)
		word := uint64(u * u * indexVocabulary)
		letters := 3 + int(word*7/indexVocabulary)
		h := word*0x2545f4914f6cdd1d + 77
		for i := 0; i < letters; i++ {
			c := byte('a' + h%26)
			if i == 0 && w%11 == 0 {
				c -= 'a' - 'A'
			}
			buf = append(buf, c)
			h = h/26 ^ h<<17
		}
		if w%13 == 12 {
			buf = append(buf, ',')
		}
		buf = append(buf, ' ')
	}
	return buf
}

// splitWords calls found for every word of a text, in lower case and without the plural's s.
func splitWords(text []byte, found func(word []byte)) {
	var word [32]byte
	n := 0
	for _, c := range text {
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
			fallthrough
		case c >= 'a' && c <= 'z':
			if n < len(word) {
				word[n] = c
				n++
			}
		case n > 0:
			if n > 3 && word[n-1] == 's' {
				n--
			}
			found(word[:n])
			n = 0
		}
	}
}

func (s *segment) addDocument(doc int32, text []byte) {
	splitWords(text, func(word []byte) {
		number, known := s.numbers[string(word)]
		if !known {
			number = int32(len(s.lists))
			s.numbers[string(word)] = number
			s.words = append(s.words, string(word))
			s.lists = append(s.lists, nil)
		}
		list := s.lists[number]
		if n := len(list); n > 0 && list[n-1].doc == doc {
			list[n-1].count++
			return
		}
		s.lists[number] = append(list, posting{doc, 1})
	})
}

func shardOf[T string | []byte](term T) int {
	return (int(term[0])*31 + int(term[1])*7 + int(term[2])) % indexShards
}

// mergeShard collects the words of a shard from all segments.
func (ix *searchIndex) mergeShard(shard int, segments []*segment) {
	terms := make(map[string][]posting, indexVocabulary/indexShards)
	for _, s := range segments {
		for number, word := range s.words {
			if shardOf(word) == shard {
				terms[word] = append(terms[word], s.lists[number]...)
			}
		}
	}
	for _, list := range terms {
		slices.SortFunc(list, func(a, b posting) int { return int(a.doc - b.doc) })
	}
	ix.shards[shard] = terms
}

// holds says whether the index has all words of a document.
func (ix *searchIndex) holds(doc int32, text []byte) bool {
	good := true
	splitWords(text, func(word []byte) {
		list := ix.shards[shardOf(word)][string(word)]
		_, found := slices.BinarySearchFunc(list, doc, func(p posting, doc int32) int { return int(p.doc - doc) })
		good = good && found
	})
	return good
}

// forAll hands the numbers below n to workers in blocks, and waits.
func forAll(workers, n, block int, body func(worker, from, to int)) {
	jobs := make(chan int, n/block+1)
	for from := 0; from < n; from += block {
		jobs <- from
	}
	close(jobs)
	var wg sync.WaitGroup
	for w := 0; w < workers; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for from := range jobs {
				body(w, from, min(from+block, n))
			}
		}()
	}
	wg.Wait()
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: indexer THREADS DIAL WORK")
		os.Exit(2)
	}
	threads, _ := strconv.Atoi(os.Args[1])
	dial, _ := strconv.ParseFloat(os.Args[2], 64)
	docs, _ := strconv.Atoi(os.Args[3])
	runtime.GOMAXPROCS(threads)

	segments := make([]*segment, threads)
	for w := range segments {
		segments[w] = &segment{numbers: make(map[string]int32, indexVocabulary)}
	}
	forAll(threads, docs, 32, func(worker, from, to int) {
		var text []byte
		for doc := from; doc < to; doc++ {
			text = documentText(doc, text[:0])
			segments[worker].addDocument(int32(doc), text)
		}
	})
	ix := &searchIndex{}
	forAll(threads, indexShards, 1, func(_, shard, _ int) { ix.mergeShard(shard, segments) })

	wrong := 0
	var text []byte
	for doc := 0; doc < int(dial*float64(docs)); doc++ {
		text = documentText(doc, text[:0])
		if !ix.holds(int32(doc), text) {
			wrong++
		}
	}

	terms, postings, digest := 0, 0, uint64(0)
	for _, shard := range ix.shards {
		for term, list := range shard {
			terms++
			postings += len(list)
			h := fnv.New64a()
			h.Write([]byte(term))
			digest += h.Sum64() * uint64(list[0].doc+list[len(list)-1].doc+list[len(list)/2].count)
		}
	}
	fmt.Printf("%d documents, %d terms, %d postings, digest %x, %d wrong\n", docs, terms, postings, digest, wrong)
}
