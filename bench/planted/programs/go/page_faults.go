// Page faults: sums units of arithmetic, and for each of them fills 256 KiB of memory.
//
// The dial is the share of the units that map new memory and unmap it afterwards; all others use memory that the thread
// keeps. It is mapped outside of the heap, so the collector has nothing to do.
package main

import "syscall"

const (
	steps = 12000
	size  = 1 << 18
)

func mapped() []byte {
	return must(syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE))
}

func main() {
	arguments()
	printAnswer(inThreads(func(thread int) uint64 {
		kept := mapped()
		var sum uint64
		for i := first(thread); i < first(thread+1); i++ {
			memory := kept
			if picked(i) {
				memory = mapped()
			}
			for at := 0; at < size; at += 4096 {
				memory[at] = byte(i)
			}
			sum += unit(i, steps) + uint64(memory[i%64*4096])
			if picked(i) {
				if err := syscall.Munmap(memory); err != nil {
					panic(err)
				}
			}
		}
		return sum
	}))
}
