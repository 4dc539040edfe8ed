// Imbalance: an archive of mail, in which every message is searched for what it quotes of some well-known letters.
//
// The journal of a mailing list is written in the order of its messages, so that each list has one owner: list number
// modulo threads. First the messages are put into the owners' trays, and then each owner empties his own tray, at the
// same cost for each message. The dial is the share of all messages that one list has (that of the newcomers); the
// others have equal parts of the rest. Its owner has more to read than the others, who are done before: nothing can be
// taken from him.
package main

import "math/bits"

const (
	lists    = 64
	letters  = 12
	shingles = 24 // words of 64 bits that stand for the text of a message
	rounds   = 6
)

type message [shingles]uint64

type journal struct {
	messages int
	quoted   uint64
}

// written makes the text of a message or letter.
func written(text *message, number int) {
	x := uint64(number)
	for at := range text {
		x = x*6364136223846793005 + 1442695040888963407
		text[at] = x ^ x>>29
	}
}

// listOf says where a message was sent to.
func listOf(number int) int {
	if picked(number) {
		return 0
	}
	return number % lists
}

// quotes counts what a message has in common with the letters, wherever it stands.
func quotes(text *message, known []message) uint64 {
	common := 0
	for letter := range known {
		for turn := range rounds {
			for at, word := range text {
				common += bits.OnesCount64(word & known[letter][(at+turn)%shingles])
			}
		}
	}
	return uint64(common)
}

func main() {
	arguments()
	known := make([]message, letters)
	for letter := range known {
		written(&known[letter], -1-letter)
	}
	trays := make([][]int32, threads)
	for tray := range trays {
		trays[tray] = make([]int32, 0, work)
	}
	for number := range work {
		owner := listOf(number) % threads
		trays[owner] = append(trays[owner], int32(number))
	}
	printAnswer(inThreads(func(thread int) uint64 {
		var text message
		journals := make([]journal, lists)
		for _, number := range trays[thread] {
			written(&text, int(number))
			one := &journals[listOf(int(number))]
			one.messages++
			one.quoted += quotes(&text, known) * uint64(number|1)
		}
		var sum uint64
		for _, one := range journals {
			sum += one.quoted + uint64(one.messages)
		}
		return sum
	}))
}
