// The manual's example: updcrc is called twice, once with nothing and once with 26,312 bytes.
#include <stddef.h>
typedef unsigned long ulg;
typedef unsigned char uch;
static ulg table[256];

ulg updcrc(uch* s, unsigned n)
{
    register ulg c;

    static ulg crc = 0xffffffffUL;

    if (s == NULL) {
        c = 0xffffffffUL;
    } else {
        c = crc;
        if (n) do {
            c = table[((int)c ^ (*s++)) & 0xff] ^ (c >> 8);
        } while (--n);
    }
    crc = c;
    return c ^ 0xffffffffUL;
}

ulg never(uch* s)
{
    if (s == NULL)
        return 1;
    return 2;
}

int main(void)
{
    static uch text[26312];
    updcrc(NULL, 0);
    updcrc(text, sizeof text);
    return 0;
}
