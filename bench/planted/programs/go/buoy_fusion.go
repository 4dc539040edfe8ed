// Assimilates what ocean buoys measure, hour after hour. In every hour the batches of readings are despiked in parallel;
// then they are folded into one matrix that says how the stations vary together, before the next hour begins.
//
// The dial is the share of the batches that main folds into that matrix itself when all despiking of the hour is done.
// The others are folded by the goroutine that despiked them, into a matrix of its own that is added at the end.
package main

import (
	"slices"
	"sync"
)

const (
	hours    = 12
	stations = 48
	samples  = 12
	window   = 5
)

type batch [samples][stations]int32

type matrix [stations][stations]int64

// read makes up the readings of a batch, with some spikes.
func (b *batch) read(number int) {
	state := uint32(number)*2654435761 + 99991
	for s := range b {
		for i := range b[s] {
			state = state*1664525 + 1013904223
			value := int32(state>>20) - 2048
			if state>>8&31 == 0 {
				value *= 50
			}
			b[s][i] = value
		}
	}
}

// despike replaces every reading by the median of those around it.
func (b *batch) despike() {
	for s := range b {
		raw := b[s]
		for i := window / 2; i < stations-window/2; i++ {
			var near [window]int32
			copy(near[:], raw[i-window/2:])
			slices.Sort(near[:])
			b[s][i] = near[window/2]
		}
	}
}

func (m *matrix) fold(b *batch) {
	for s := range b {
		row := &b[s]
		for i := range m {
			into, x := &m[i], int64(row[i])
			for j := range into {
				into[j] += x * int64(row[j])
			}
		}
	}
}

func (m *matrix) digest() uint64 {
	var sum uint64
	for i := range m {
		for j, value := range m[i] {
			sum += uint64(value) * uint64(i*977+j*31+1)
		}
	}
	return sum
}

func main() {
	arguments()
	joint := new(matrix)
	own := make([]*matrix, threads)
	for t := range own {
		own[t] = new(matrix)
	}
	despiked := make([]batch, work/hours)
	for hour := range hours {
		var all sync.WaitGroup
		for t := range threads {
			all.Add(1)
			go func() {
				defer all.Done()
				for i := len(despiked) * t / threads; i < len(despiked)*(t+1)/threads; i++ {
					number := hour*len(despiked) + i
					b := &despiked[i]
					b.read(number)
					b.despike()
					if !picked(number) {
						own[t].fold(b)
					}
				}
			}()
		}
		all.Wait()
		for i := range despiked {
			if picked(hour*len(despiked) + i) {
				joint.fold(&despiked[i])
			}
		}
	}
	sum := joint.digest()
	for _, m := range own {
		sum += m.digest()
	}
	printAnswer(sum)
}
