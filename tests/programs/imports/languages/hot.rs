// See hot.cc.
mod shapes {
    pub struct Crate<T> {
        pub sum: T,
    }

    pub trait Grows {
        fn grow(&mut self, rounds: u64) -> u64;
    }

    impl Grows for Crate<u64> {
        #[inline(never)]
        fn grow(&mut self, rounds: u64) -> u64 {
            for i in 1..rounds + 1 {
                self.sum = self.sum / (i % 7 + 1) + self.sum / (i % 5 + 2) + i * 1000; // hot
            }
            self.sum
        }
    }

    #[inline(never)]
    pub fn dear<G: Grows>(grows: &mut G, rounds: u64) -> u64 {
        grows.grow(rounds * 9) + 1
    }

    #[inline(never)]
    pub fn cheap<G: Grows>(grows: &mut G, rounds: u64) -> u64 {
        grows.grow(rounds) + 2
    }
}

fn main() {
    let rounds = std::env::args().nth(1).map_or(1000, |word| word.parse().unwrap());
    let mut crate_of = shapes::Crate { sum: 1u64 };
    let sum = shapes::cheap(&mut crate_of, rounds) ^ shapes::dear(&mut crate_of, rounds);
    println!("{}", sum);
}
