// See hot.cc.
module hot;

import std.conv, std.stdio;

struct Box(T)
{
    T sum = 1;

    pragma(inline, false) T grow(T rounds)
    {
        foreach (i; 1 .. rounds + 1)
        {
            sum = sum / (i % 7 + 1) + sum / (i % 5 + 2) + i * 1000; // hot
        }
        return sum;
    }
}

pragma(inline, false) long dear(ref Box!long box, long rounds)
{
    return box.grow(rounds * 9) + 1;
}

pragma(inline, false) long cheap(ref Box!long box, long rounds)
{
    return box.grow(rounds) + 2;
}

void main(string[] words)
{
    const rounds = words.length > 1 ? words[1].to!long : 1000;
    Box!long box;
    writeln(cheap(box, rounds) + dear(box, rounds));
}
