// Formula book: parses arithmetic formulas into trees, simplifies the trees and evaluates them.
//
// Every tree is garbage as soon as it has been evaluated. The dial says how tight the heap is kept: at 0 it may grow to
// 16 MiB before it is collected, at d to a d-th of that, so that the collector runs d times as often.
package main

import (
	"fmt"
	"runtime/debug"
)

type node struct {
	op          byte
	value       int64
	left, right *node
}

type parser struct {
	text []byte
	at   int
}

func (p *parser) sum() *node {
	left := p.product()
	for p.at < len(p.text) && (p.text[p.at] == '+' || p.text[p.at] == '-') {
		op := p.text[p.at]
		p.at++
		left = &node{op: op, left: left, right: p.product()}
	}
	return left
}

func (p *parser) product() *node {
	left := p.factor()
	for p.at < len(p.text) && p.text[p.at] == '*' {
		p.at++
		left = &node{op: '*', left: left, right: p.factor()}
	}
	return left
}

func (p *parser) factor() *node {
	switch c := p.text[p.at]; {
	case c == '(':
		p.at++
		inside := p.sum()
		p.at++
		return inside
	case c == 'x':
		p.at++
		return &node{op: 'x'}
	default:
		var value int64
		for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
			value = value*10 + int64(p.text[p.at]-'0')
			p.at++
		}
		return &node{op: '#', value: value}
	}
}

// simplified is a new tree, with constants folded.
func simplified(n *node) *node {
	if n.op == '#' || n.op == 'x' {
		return n
	}
	left, right := simplified(n.left), simplified(n.right)
	if left.op == '#' && right.op == '#' {
		return &node{op: '#', value: apply(n.op, left.value, right.value)}
	}
	return &node{op: n.op, left: left, right: right}
}

func apply(op byte, a, b int64) int64 {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	}
	return a * b
}

func (n *node) at(x int64) int64 {
	switch n.op {
	case '#':
		return n.value
	case 'x':
		return x
	}
	return apply(n.op, n.left.at(x), n.right.at(x))
}

// written appends a random formula.
func written(text []byte, seed *uint64, depth int) []byte {
	*seed ^= *seed << 13
	*seed ^= *seed >> 7
	*seed ^= *seed << 17
	draw := *seed >> 40
	if depth == 0 || draw%16 == 0 {
		if draw&64 != 0 {
			return append(text, 'x')
		}
		return append(text, byte('1'+draw>>8%9), byte('0'+draw>>12%10))
	}
	text = append(text, '(')
	text = written(text, seed, depth-1)
	text = append(text, "+-*+"[draw>>5&3])
	text = written(text, seed, depth-1)
	return append(text, ')')
}

func main() {
	arguments()
	debug.SetGCPercent(400)
	if dial >= 1 {
		debug.SetGCPercent(int(400 / dial))
	}
	printed := inThreads(func(thread int) uint64 {
		text := make([]byte, 0, 4096)
		var sum uint64
		for page := first(thread); page < first(thread+1); page++ {
			seed := uint64(page)*0x9E3779B97F4A7C15 + 99
			text = written(text[:0], &seed, 6)
			tree := simplified((&parser{text: text}).sum())
			for x := int64(0); x < 16; x++ {
				sum += uint64(tree.at(x)) & 0xFFFFFFF
			}
		}
		return sum
	})
	fmt.Println("checked", printed)
}
