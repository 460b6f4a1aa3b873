mod shapes {
    pub struct Box {
        pub v: u32,
    }
    impl Box {
        #[inline(never)]
        pub fn grow(&mut self, by: u32) -> u32 { // grow
            self.v += by;
            self.v
        }
    }
    pub trait Area {
        fn area(&self) -> u32;
    }
    impl Area for Box {
        #[inline(never)]
        fn area(&self) -> u32 { // area
            self.v * 2
        }
    }
}

use shapes::Area;

#[inline(always)]
fn quick(x: u32) -> u32 { // quick
    let mut rest = x;
    while rest > 100 {
        rest = rest / 3 + 1;
    }
    rest * 5
}

fn main() { // main
    let mut b = shapes::Box { v: 3 };
    let n = std::env::args().count() as u32;
    println!("{}", b.grow(n) + b.area() + quick(n)); // call of quick
}
