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
		if strings.HasPrefix(line, "Cpus_allowed_list:") {
			cpus := strings.TrimSpace(strings.TrimPrefix(line, "Cpus_allowed_list:"))
			os.Stderr.WriteString(role + " " + strconv.Itoa(syscall.Gettid()) + " " + cpus + "\n")
		}
	}
}

func main() {
	var done sync.WaitGroup
	for i := 0; i < 2; i++ {
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
