// What the Go programs have in common: arguments, work that no compiler removes, and goroutines.
//
// Work comes in units. The result of a unit depends on its number alone, and the answer is the sum of all results: the
// same for every number of threads and every dial.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
)

var (
	threads int
	dial    float64
	work    int
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// arguments reads the command line, and lets Go run as many goroutines at once as there are threads.
func arguments() {
	threads = must(strconv.Atoi(os.Args[1]))
	dial = must(strconv.ParseFloat(os.Args[2], 64))
	work = must(strconv.Atoi(os.Args[3]))
	runtime.GOMAXPROCS(threads)
}

func printAnswer(sum uint64) { fmt.Printf("%016x\n", sum) }

// unit is a chain of dependent arithmetic, about 1.3 ns a step.
func unit(number, steps int) uint64 {
	x := uint64(number)*0x9E3779B97F4A7C15 + 1
	for i := 0; i < steps; i++ {
		x = x*6364136223846793005 + (x>>33 | 1)
	}
	return x
}

// picked says whether the dial applies to this unit: a fixed random choice of the share dial of all units.
func picked(number int) bool {
	x := uint64(number+1) * 0x9E3779B97F4A7C15
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	return float64(x>>11)/(1<<53) < dial
}

// first is the first unit of a thread, with equal parts for all.
func first(thread int) int { return work * thread / threads }

// inThreads runs body in one goroutine a thread, and returns the sum of what they return.
func inThreads(body func(thread int) uint64) uint64 {
	sums := make([]uint64, threads*16)
	var all sync.WaitGroup
	for thread := range threads {
		all.Add(1)
		go func() {
			defer all.Done()
			sums[thread*16] = body(thread)
		}()
	}
	all.Wait()
	var sum uint64
	for _, one := range sums {
		sum += one
	}
	return sum
}
