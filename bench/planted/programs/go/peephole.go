// Garbage collection: the last stage of a compiler, which shortens the code of many small functions.
//
// The stage has a history of edits that can be undone, a long chain in which every edit points to the one before. A
// function is shortened in a buffer that its goroutine keeps; or else it is first turned into a list of instructions,
// which is garbage as soon as the function is done. The dial is the share of the functions that become such lists. As
// garbage makes the collector run, it must walk the history each time: edit by edit, which no second thread can help
// with, while those who allocate wait for it.
package main

type op struct {
	code, register, value uint32
	next                  *op
}

type edit struct {
	before        *edit
	function, was uint32
	rest          [2]uint64
}

const (
	length  = 160
	history = 60000
)

var last *edit

// nextOp returns the instruction that follows from the state of a function's generator.
func nextOp(state *uint64) (code, register, value uint32) {
	*state ^= *state << 13
	*state ^= *state >> 7
	*state ^= *state << 17
	return uint32(*state>>11) % 5, uint32(*state>>20) % 16, uint32(*state>>32) & 0xffff
}

// machine is what the code so far has put into the registers, and what was saved.
type machine struct {
	known  [16]uint32
	isSet  [16]bool
	digest uint64
}

func (m *machine) step(code, register, value uint32) {
	switch code {
	case 0: // A constant: the instruction goes if the register has it already.
		if m.isSet[register] && m.known[register] == value {
			return
		}
		m.known[register], m.isSet[register] = value, true
	case 1: // An addition to a known register becomes a constant.
		if m.isSet[register] {
			m.known[register] += value
			code = 0
		}
	case 2: // A copy.
		from := value % 16
		m.known[register], m.isSet[register] = m.known[from], m.isSet[from]
	case 3: // A load: nothing is known any more.
		m.isSet[register] = false
	case 4: // A multiplication by a power of two becomes a shift.
		if value&(value-1) == 0 {
			code = 5
		}
		m.isSet[register] = false
	}
	m.digest = (m.digest^uint64(code)<<40^uint64(register)<<32^uint64(value))*0x100000001b3 + m.digest>>29
}

func inBuffer(function int, buffer []op) uint64 {
	state := uint64(function)*0x9E3779B97F4A7C15 + 1
	for i := range buffer {
		buffer[i].code, buffer[i].register, buffer[i].value = nextOp(&state)
	}
	var m machine
	for i := range buffer {
		m.step(buffer[i].code, buffer[i].register, buffer[i].value)
	}
	return m.digest
}

func inList(function int) uint64 {
	state := uint64(function)*0x9E3779B97F4A7C15 + 1
	var head op
	end := &head
	for range length {
		one := new(op)
		one.code, one.register, one.value = nextOp(&state)
		end.next, end = one, one
	}
	var m machine
	for at := head.next; at != nil; at = at.next {
		m.step(at.code, at.register, at.value)
	}
	return m.digest
}

func main() {
	arguments()
	for i := range history {
		last = &edit{before: last, function: uint32(i)}
	}
	printAnswer(inThreads(func(thread int) uint64 {
		buffer := make([]op, length)
		var sum uint64
		for function := first(thread); function < first(thread+1); function++ {
			if picked(function) {
				sum += inList(function)
			} else {
				sum += inBuffer(function, buffer)
			}
		}
		return sum
	}) + uint64(last.function))
}
