// Number theory and sorting, without memory that is collected.
import std.stdio, std.algorithm;

pragma(inline, false) ulong steps(ulong n)
{
    ulong count = 0;
    while (n != 1)
    {
        n = n % 2 ? 3 * n + 1 : n / 2;
        ++count;
    }
    return count;
}

pragma(inline, false) uint median(uint[] values, ref ulong state)
{
    foreach (ref value; values)
    {
        state = state * 6364136223846793005UL + 1442695040888963407UL;
        value = cast(uint)(state >> 33);
    }
    sort(values);
    return values[$ / 2];
}

pragma(inline, false) ulong common(ulong a, ulong b)
{
    while (b != 0)
    {
        const rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int main()
{
    static uint[4096] values;
    ulong sum = 0, state = 1;
    foreach (round; 0 .. 400)
    {
        foreach (i; 1 .. 2000)
            sum += steps(i + round);
        foreach (i; 1 .. 3000)
            sum += common(i * 7919UL, 1_000_003UL + round);
        sum += median(values[], state);
    }
    writeln(sum);
    return 7;
}
