// Iterations of the Mandelbrot recurrence over a square of points; goroutines take rows from a channel.
//
// Usage: GOMAXPROCS=threads mandel SIZE DEPTH
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

func escape(real, imaginary float64, depth int) int {
	x, y, count := 0.0, 0.0, 0
	for count < depth && x*x+y*y <= 4 {
		x, y = x*x-y*y+real, 2*x*y+imaginary
		count++
	}
	return count
}

func row(y, size, depth int) int64 {
	at := func(step int) float64 { return -2 + 4*float64(step)/float64(size) }
	total := int64(0)
	for x := 0; x < size; x++ {
		total += int64(escape(at(x), at(y), depth))
	}
	return total
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1000000 {
		fmt.Fprintf(os.Stderr, "%q is not a number from 1 to 1000000\n", text)
		os.Exit(2)
	}
	return n
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: mandel SIZE DEPTH")
		os.Exit(2)
	}
	size, depth := number(os.Args[1]), number(os.Args[2])
	rows := make(chan int, size)
	for y := 0; y < size; y++ {
		rows <- y
	}
	close(rows)
	var total atomic.Int64
	var workers sync.WaitGroup
	for worker := 0; worker < runtime.GOMAXPROCS(0); worker++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for y := range rows {
				total.Add(row(y, size, depth))
			}
		}()
	}
	workers.Wait()
	fmt.Println(total.Load())
}
