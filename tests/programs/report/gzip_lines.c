/* The functions, files and lines of the manual's example of line-by-line profiling. */
int x;
#line 408 "trees.c"
void init_block(void) { x++; }
#line 340 "trees.c"
void ct_init(void) {
#line 349 "trees.c"
  x += 1;
#line 351 "trees.c"
  x += 2;
#line 382 "trees.c"
  x += 3;
#line 384 "trees.c"
  init_block();
#line 385 "trees.c"
  init_block();
#line 387 "trees.c"
  init_block();
#line 396 "trees.c"
  init_block();
}
#line 650 "deflate.c"
void deflate_fast(void) {
#line 654 "deflate.c"
  init_block();
}
#line 670 "deflate.c"
void deflate(void) {
#line 675 "deflate.c"
  init_block();
#line 679 "deflate.c"
  init_block();
#line 686 "deflate.c"
  init_block();
#line 727 "deflate.c"
  init_block();
#line 730 "deflate.c"
  init_block();
#line 763 "deflate.c"
  init_block();
#line 780 "deflate.c"
  x += 4;
#line 790 "deflate.c"
  x += 5;
}
#line 1400 "gzip.c"
void name_too_long(void) {
#line 1440 "gzip.c"
  init_block();
}
#line 1500 "gzip.c"
int main(void) {
#line 1501 "gzip.c"
  ct_init();
#line 1502 "gzip.c"
  deflate();
#line 1503 "gzip.c"
  deflate_fast();
#line 1504 "gzip.c"
  name_too_long();
#line 1505 "gzip.c"
  return 0;
}
