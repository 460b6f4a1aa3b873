// Functions of one name in two types, a closure, a generic function, a goroutine; the program writes its own profile.
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
)

type box struct{ sum int }
type crate struct{ sum int }

//go:noinline
func (b *box) grow(rounds int) {
	for i := 0; i < rounds; i++ {
		b.sum ^= i * b.sum
	}
}

//go:noinline
func (c *crate) grow(rounds int) {
	for i := 0; i < rounds; i++ {
		c.sum += i ^ c.sum
	}
}

func folded(value int) int { return value*31 ^ value>>3 }

//go:noinline
func largest[V int | int64](values []V, rounds int) V {
	found := values[0]
	for i := 0; i < rounds; i++ {
		if value := V(folded(int(found))) + values[i%len(values)]; value > found {
			found = value
		}
	}
	return found
}

//go:noinline
func hot(b *box, rounds int) int {
	b.grow(rounds)
	return b.sum
}

func main() {
	rounds := 1000
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	if len(os.Args) > 2 {
		file, err := os.Create(os.Args[2])
		if err != nil {
			panic(err)
		}
		pprof.StartCPUProfile(file)
		defer pprof.StopCPUProfile()
	}
	done := make(chan int)
	go func() {
		c := crate{}
		c.grow(rounds)
		done <- c.sum
	}()
	sum := <-done
	small := func(rounds int) int {
		b := box{}
		b.grow(rounds / 2)
		return b.sum
	}
	sum += hot(&box{1}, 8*rounds) + small(rounds) + largest([]int{1, 2, 3}, rounds/2)
	fmt.Println(sum)
}
