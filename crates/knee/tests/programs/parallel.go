// Eight goroutines that work side by side.
package main

import (
	"sync"
	"time"
)

func main() {
	var done sync.WaitGroup
	for i := 0; i < 8; i++ {
		done.Add(1)
		go func() {
			for begin := time.Now(); time.Since(begin) < 600*time.Millisecond; {
			}
			done.Done()
		}()
	}
	done.Wait()
}
