// Collections, sorting and arithmetic, in threads.
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::thread;

#[inline(never)]
fn sieved(limit: usize, rounds: usize) -> usize {
    let mut prime = vec![true; limit];
    let mut count = 0;
    for _ in 0..rounds {
        prime.fill(true);
        for i in 2..limit {
            if prime[i] {
                count += 1;
                let mut multiple = i * 2;
                while multiple < limit {
                    prime[multiple] = false;
                    multiple += i;
                }
            }
        }
    }
    count
}

#[inline(never)]
fn hashed(rounds: u64) -> u64 {
    let mut map = HashMap::new();
    for i in 0..rounds {
        *map.entry(i.wrapping_mul(0x9e3779b97f4a7c15) >> 52).or_insert(0u64) += i;
    }
    map.values().fold(0, |sum, value| sum ^ value)
}

#[inline(never)]
fn ordered(rounds: u64) -> u64 {
    let mut map = BTreeMap::new();
    for i in 0..rounds {
        map.insert(i.wrapping_mul(0x9e3779b97f4a7c15) >> 52, i);
    }
    map.values().fold(0, |sum, value| sum ^ value)
}

#[inline(never)]
fn mixed(rounds: u64) -> u64 {
    let mut x = 1u64;
    for _ in 0..rounds {
        x = (x ^ (x >> 13)).wrapping_mul(0x9e3779b97f4a7c15);
    }
    x
}

fn main() {
    let total = Arc::new(Mutex::new(0u64));
    let threads: Vec<_> = (0..2u64)
        .map(|number| {
            let total = total.clone();
            thread::spawn(move || {
                let sum = if number == 0 {
                    sieved(4000, 4000) as u64 ^ mixed(60_000_000)
                } else {
                    hashed(4_000_000) ^ ordered(3_000_000)
                };
                *total.lock().unwrap() += sum;
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    println!("{}", total.lock().unwrap());
    std::process::exit(5)
}
