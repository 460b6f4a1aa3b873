module dwarf_box;

struct Box
{
    int v;
    int grow(int by) // grow
    {
        v += by;
        return v;
    }
}

int twice(T)(T x) // twice
{
    return cast(int)(x + x);
}

extern (C) int main() // main
{
    Box b;
    int nested(int q) // nested
    {
        return q + b.v;
    }

    return b.grow(2) + twice(3) + nested(4) - 14;
}
