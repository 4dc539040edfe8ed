// A flock of starlings: in every step each bird steers by all others near it, and then all birds move at once.
//
// The dial is the share of the birds that lead. One goroutine steers the leaders at the beginning of every step, before
// the followers are divided among the workers.
package main

import "math"

const birds = 960

type bird struct{ x, y, vx, vy float64 }

func hatch() []bird {
	flock := make([]bird, birds)
	for i := range flock {
		x := unit(i, 8)
		flock[i] = bird{
			float64(x&0xFFFF) / 256, float64(x>>16&0xFFFF) / 256,
			float64(x>>32&0xFF)/512 - 0.25, float64(x>>40&0xFF)/512 - 0.25,
		}
	}
	return flock
}

// steer works out where a bird will be: away from birds too near, along with birds near, and towards their middle.
func steer(flock []bird, which int) bird {
	me := flock[which]
	var near, awayX, awayY, alongX, alongY, midX, midY float64
	for i := range flock {
		dx, dy := flock[i].x-me.x, flock[i].y-me.y
		square := dx*dx + dy*dy
		if square > 1600 || i == which {
			continue
		}
		near++
		pull := 1 / (square + 4)
		awayX -= dx * pull
		awayY -= dy * pull
		alongX += flock[i].vx
		alongY += flock[i].vy
		midX += dx
		midY += dy
	}
	if near > 0 {
		me.vx += 0.02*awayX + 0.05*(alongX/near-me.vx) + 0.0005*midX/near
		me.vy += 0.02*awayY + 0.05*(alongY/near-me.vy) + 0.0005*midY/near
	}
	if speed := math.Sqrt(me.vx*me.vx + me.vy*me.vy); speed > 1 {
		me.vx /= speed
		me.vy /= speed
	}
	me.x = math.Min(math.Max(me.x+me.vx, 0), 256)
	me.y = math.Min(math.Max(me.y+me.vy, 0), 256)
	return me
}

func main() {
	arguments()
	now, then := hatch(), make([]bird, birds)
	leaders := int(dial * birds)
	followers := birds - leaders
	for range work {
		for i := 0; i < leaders; i++ {
			then[i] = steer(now, i)
		}
		inThreads(func(thread int) uint64 {
			last := leaders + followers*(thread+1)/threads
			for i := leaders + followers*thread/threads; i < last; i++ {
				then[i] = steer(now, i)
			}
			return 0
		})
		now, then = then, now
	}
	var sum uint64
	for i, one := range now {
		sum += (math.Float64bits(one.x) ^ math.Float64bits(one.y)>>7) * uint64(2*i+1)
	}
	printAnswer(sum)
}
