// Embosses books in braille: every chapter is contracted, broken into lines of cells, and read back for a check.
//
// Volumes are embossed one after the other. The dial is the share of a volume's chapters with music or formulas. Only
// the master of the press can set these, and she does so after the others' chapters have come in, while they wait for
// the next volume. Her chapters are as long as theirs.
package main

import (
	"fmt"
	"sync"
)

const (
	chapters = 40
	letters  = 9000
	width    = 38
)

// code has the cells of a pair of letters: one if there is a contraction for it, else none.
type code [26][26]byte

type plate struct {
	cells []byte
	lines int
	check uint64
}

func contractions() *code {
	c := new(code)
	for a := range 26 {
		for b := range 26 {
			if draw := unit(a*26+b, 3); draw>>60 < 3 {
				c[a][b] = byte(64 + draw>>20%190)
			}
		}
	}
	return c
}

// compose writes a chapter: letters 0 to 25, and 26 between words.
func compose(number int, text []byte) {
	state := uint64(number)*0x9E3779B97F4A7C15 | 1
	for i := range text {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		text[i] = byte(state >> 40 % 31)
		if text[i] > 26 {
			text[i] = byte(4 * (text[i] - 26))
		}
	}
}

func (c *code) set(number int) plate {
	text := make([]byte, letters)
	compose(number, text)
	p := plate{cells: make([]byte, 0, letters)}
	column, word := 0, 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == 26:
			if column > width {
				p.lines++
				column = len(p.cells) - word
			}
			word = len(p.cells)
			p.cells = append(p.cells, 0)
		case i+1 < len(text) && text[i+1] < 26 && c[text[i]][text[i+1]] != 0:
			p.cells = append(p.cells, c[text[i]][text[i+1]])
			i++
		default:
			p.cells = append(p.cells, text[i]+1)
		}
		column++
	}
	for pass := range 4 {
		for i, cell := range p.cells {
			p.check = (p.check ^ uint64(cell)) * 0x100000001B3
			if i%width == pass {
				p.check ^= p.check >> 29
			}
		}
	}
	return p
}

func main() {
	arguments()
	c := contractions()
	byMaster := int(dial*chapters + 0.5)
	setters := make(chan struct{}, threads)
	shelf, cells, lines := uint64(17), 0, 0
	for volume := range work {
		var plates [chapters]plate
		var all sync.WaitGroup
		for chapter := byMaster; chapter < chapters; chapter++ {
			setters <- struct{}{}
			all.Add(1)
			go func() {
				defer all.Done()
				plates[chapter] = c.set(volume*chapters + chapter)
				<-setters
			}()
		}
		all.Wait()
		for chapter := range byMaster {
			plates[chapter] = c.set(volume*chapters + chapter)
		}
		for _, p := range plates {
			shelf = shelf*31 + p.check
			cells += len(p.cells)
			lines += p.lines
		}
	}
	fmt.Printf("%d volumes, %d cells in %d lines, %016x\n", work, cells, lines, shelf)
}
