// Depths that the tags of seals recorded: every dive is found, and the hours of each tag are added up.
//
// I/O. A tag's record is computed from its seed, or the computed record was put by before, and is read from a file that
// is opened for direct reads: nothing of it is cached. The disk serves a reader at a time. The dial is the share of the
// records that are read.
package main

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

const (
	recordBytes = 1 << 20
	depths      = recordBytes / 2
	onFile      = 6
)

type record []uint16

func (r record) bytes() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&r[0])), recordBytes) }

// newRecord takes pages from the system: direct reads need room that is aligned.
func newRecord() record {
	pages := must(syscall.Mmap(-1, 0, recordBytes, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE))
	return unsafe.Slice((*uint16)(unsafe.Pointer(&pages[0])), depths)
}

func (r record) compute(tag int) {
	sea := uint32(tag%onFile)*2654435761 + 99
	var depth, rate int32
	for i := range r {
		sea = sea*1664525 + 1013904223
		rate += int32(sea>>30) - 1
		depth += rate >> 3
		if depth < 0 || depth > 900 {
			rate = -rate
			depth = min(max(depth, 0), 900)
		}
		r[i] = uint16(depth)
	}
}

type archive struct{ file *os.File }

func newArchive() archive {
	made := must(os.CreateTemp(".", "seal_tags."))
	defer made.Close()
	file := must(os.OpenFile(made.Name(), os.O_RDWR|syscall.O_DIRECT, 0))
	must(0, os.Remove(made.Name()))
	one := newRecord()
	for tag := range onFile {
		one.compute(tag)
		must(file.WriteAt(one.bytes(), int64(tag)*recordBytes))
	}
	return archive{file}
}

func (a archive) read(r record, tag int) {
	must(a.file.ReadAt(r.bytes(), int64(tag%onFile)*recordBytes))
}

// dives counts the dives, and adds up how deep each went; one depth in sixteen is enough.
func (r record) dives() (sum uint64) {
	var deepest uint16
	for at := 0; at < len(r); at += 16 {
		depth := r[at]
		deepest = max(deepest, depth)
		if depth < 4 && deepest > 40 {
			sum += uint64(deepest)<<16 + 1
			deepest = 0
		}
	}
	return sum
}

func main() {
	arguments()
	shelf := newArchive()
	sums := make(chan uint64)
	var readers sync.WaitGroup
	for reader := range threads {
		readers.Add(1)
		go func() {
			defer readers.Done()
			tape := newRecord()
			var sum uint64
			for tag := first(reader); tag < first(reader+1); tag++ {
				if picked(tag) {
					shelf.read(tape, tag)
				} else {
					tape.compute(tag)
				}
				sum += tape.dives() * uint64(tag+1)
			}
			sums <- sum
		}()
	}
	go func() { readers.Wait(); close(sums) }()
	var total uint64
	for sum := range sums {
		total += sum
	}
	fmt.Printf("%d\n", total)
}
