// Two goroutines, each locked to a thread: they work, then say where they may run.
package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

func say(role string) {
	status, _ := os.ReadFile("/proc/thread-self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if cpus, found := strings.CutPrefix(line, "Cpus_allowed_list:\t"); found {
			os.Stderr.WriteString(role + " " + strconv.Itoa(syscall.Gettid()) + " " + cpus + "\n")
		}
	}
}


func main() {
	var done sync.WaitGroup
	for range 2 {
		done.Add(1)
		go func() {
			runtime.LockOSThread()
			for begin := time.Now(); time.Since(begin) < 400*time.Millisecond; {
			}
			say("worker")
			done.Done()
		}()
	}
	done.Wait()
	say("main")
}
