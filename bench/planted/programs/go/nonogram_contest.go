// Checks the entries of a nonogram contest: draws the picture that a reader sent, writes down its clues, and solves
// them line by line to see how much of the picture they fix.
//
// The dial is the share of the entries that run for the cup. Those are solved on the jury's own grid, and the jury
// looks at one entry at a time, from the first line to the last: its mutex is held for all of it. Other entries are
// solved on the grid of the helper who opened the envelope. Every entry takes some 180 us.
package main

import "sync"

const size = 22

// grid knows of each line which cells are filled and which are empty; rows are first, then columns.
type grid struct {
	filled, empty [2 * size]uint32
	ahead, behind [size/2 + 2]uint32
}

type jury struct {
	mu      sync.Mutex
	grid    grid
	entries int
	points  uint64
}

// narrow finds out which cells of a line are the same wherever its blocks may lie.
func (g *grid) narrow(line int, clue []int) bool {
	filled, empty, n := g.filled[line], g.empty[line], len(clue)
	fits := func(k, at int) bool {
		if k == n || at+clue[k] > size {
			return false
		}
		return (uint32(1)<<clue[k]-1)<<at&empty == 0 && filled>>(at+clue[k])&1 == 0
	}
	clear(g.ahead[:])
	clear(g.behind[:])
	g.ahead[0], g.behind[n] = 1, 1<<(size+1)
	for k := range n + 1 {
		for at := range size + 1 {
			if g.ahead[k]>>at&1 == 0 {
				continue
			}
			g.ahead[k] |= (^filled >> at & 1) << (at + 1)
			if fits(k, at) {
				g.ahead[k+1] |= 1 << (at + clue[k] + 1)
			}
		}
	}
	var may, mayNot uint32
	for k := n; k >= 0; k-- {
		for at := size; at >= 0; at-- {
			reached := g.ahead[k]>>at&1 != 0
			if filled>>at&1 == 0 && g.behind[k]>>(at+1)&1 != 0 {
				g.behind[k] |= 1 << at
				if reached {
					mayNot |= 1 << at
				}
			}
			if fits(k, at) && g.behind[k+1]>>(at+clue[k]+1)&1 != 0 {
				g.behind[k] |= 1 << at
				if reached {
					may |= (uint32(1)<<clue[k] - 1) << at
					mayNot |= 1 << (at + clue[k])
				}
			}
		}
	}
	g.filled[line], g.empty[line] = may&^mayNot, mayNot&^may&(1<<size-1)
	return g.filled[line] != filled || g.empty[line] != empty
}

// clues returns the lengths of the blocks in a line.
func clues(line uint32) (blocks []int) {
	for at := 0; at < size; at++ {
		length := 0
		for ; line>>at&1 != 0; at++ {
			length++
		}
		if length > 0 {
			blocks = append(blocks, length)
		}
	}
	return blocks
}

func (g *grid) judge(entry int) uint64 {
	*g = grid{}
	var picture [2 * size]uint32
	for row := range size {
		picture[row] = uint32(unit(entry*size+row, 5)>>20|unit(entry*size+row/3, 6)>>21) & (1<<size - 1)
		for column := range size {
			picture[size+column] |= picture[row] >> column & 1 << row
		}
	}
	var asked [2 * size][]int
	for line, cells := range picture {
		asked[line] = clues(cells)
	}
	var sum uint64
	for again := true; again; sum++ {
		again = false
		for line, clue := range asked {
			if !g.narrow(line, clue) {
				continue
			}
			again = true
			mine, other := line%size, (line/size^1)*size
			for cell := range size {
				g.filled[other+cell] |= g.filled[line] >> cell & 1 << mine
				g.empty[other+cell] |= g.empty[line] >> cell & 1 << mine
			}
		}
	}
	for row := range size {
		sum = sum*31 + uint64(g.filled[row])<<20 ^ uint64(g.empty[row])
	}
	return sum
}

func (j *jury) judge(entry int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.points += j.grid.judge(entry)
	j.entries++
}

func main() {
	arguments()
	envelopes := make(chan int, work)
	for entry := range work {
		envelopes <- entry
	}
	close(envelopes)
	var cup jury
	rest := inThreads(func(int) (points uint64) {
		var own grid
		for entry := range envelopes {
			if picked(entry) {
				cup.judge(entry)
			} else {
				points += own.judge(entry)
			}
		}
		return points
	})
	printAnswer(cup.points + rest)
}
