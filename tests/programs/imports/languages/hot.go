// See hot.cc. With a second word, the program writes its own profile into that file.
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
)

type number interface{ ~int | ~int64 }

type box[T number] struct{ sum T }

//go:noinline
func (b *box[T]) grow(rounds T) T {
	for i := T(1); i <= rounds; i++ {
		b.sum = b.sum/(i%7+1) + b.sum/(i%5+2) + i*1000 // hot
	}
	return b.sum
}

//go:noinline
func dear(b *box[int64], rounds int64) int64 { return b.grow(rounds*9) + 1 }

//go:noinline
func cheap(b *box[int64], rounds int64) int64 { return b.grow(rounds) + 2 }

func main() {
	rounds := int64(1000)
	if len(os.Args) > 1 {
		rounds, _ = strconv.ParseInt(os.Args[1], 10, 64)
	}
	if len(os.Args) > 2 {
		file, err := os.Create(os.Args[2])
		if err != nil {
			panic(err)
		}
		pprof.StartCPUProfile(file)
		defer pprof.StopCPUProfile()
	}
	b := &box[int64]{1}
	fmt.Println(cheap(b, rounds) + dear(b, rounds))
}
