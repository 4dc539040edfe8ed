// Chronicle: compares the reports of a weather station with its chronicle.
//
//	chronicle THREADS DIAL REPORTS
//
// The chronicle is a chain of days, each pointing to the day most like it that came before in the chain. A report is
// unpacked, smoothed and compared with the first days of the chain. The dial is the share of the reports that are
// unpacked into new memory; all others go into a buffer that the goroutine keeps.
package main

const (
	days      = 60000
	compared  = 400
	fewest    = 2000
	more      = 1000
	smoothing = 4
)

type day struct {
	older    *day
	pressure uint64
}

// chain links the days in an order that has nothing to do with where they are in memory.
func chain() *day {
	all := make([]*day, days)
	for i := range all {
		all[i] = &day{pressure: uint64(i*7919) % 65536}
	}
	at := 0
	for range days {
		next := (at + 24179) % days
		all[at].older = all[next]
		at = next
	}
	last := all[(days-1)*24179%days]
	newest := last.older
	last.older = nil
	return newest
}

// unpack fills the readings of a report.
func unpack(into []uint64, report int) {
	x := uint64(report)*0x9E3779B97F4A7C15 + 1
	for i := range into {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		into[i] = x >> 48
	}
}

func smooth(values []uint64) {
	for range smoothing {
		level := values[0]
		for i, value := range values {
			level = (level*level>>16 + 2*level + value) >> 2
			values[i] = level
		}
	}
}

// likeness is how near a reading comes to the first days of the chain.
func likeness(newest *day, values []uint64) uint64 {
	best, at := ^uint64(0), newest
	for hour := range compared {
		best = min(best, max(values[hour], at.pressure)-min(values[hour], at.pressure))
		at = at.older
	}
	return best
}

func main() {
	arguments()
	newest := chain()
	printAnswer(inThreads(func(thread int) uint64 {
		var sum uint64
		kept := make([]uint64, fewest+more)
		for report := first(thread); report < first(thread+1); report++ {
			length := fewest + report*7919%more
			values := kept[:length]
			if picked(report) {
				values = make([]uint64, length)
			}
			unpack(values, report)
			smooth(values)
			sum += likeness(newest, values) * uint64(report+1)
		}
		return sum
	}))
}
