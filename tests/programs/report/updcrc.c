unsigned long updcrc(unsigned char* s,
                     unsigned n)

{
    unsigned long c;

    static unsigned long crc = 1;

    if (s == 0) {
        c = 7;
    } else {
        c = crc;
        if (n) do {
            c = c * 31 + *s++;
        } while (--n);
    }
    crc = c;
    return c + 3;
}
int main(void)
{
    unsigned char text[] = "text";
    return updcrc(text, 4) == updcrc(0, 0);
}
