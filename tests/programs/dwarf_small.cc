// A main function around dwarf_outside.cc.
namespace outside {
int visit(int x);
}

int main(int argc, char**) { return outside::visit(argc) == 0; }  // main
