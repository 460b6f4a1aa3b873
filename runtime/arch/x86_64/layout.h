// Offsets for the assembly code; arch/x86_64/entry.cc checks them against the C++ structures.
#pragma once

#define HASH_FACTOR 0x9e3779b97f4a7c15
#define HASH_SHIFT 37
// ChunkHeader, followed by CallEntry
#define TABLE_MASK 56
#define TABLE_ENTRIES 64
#define ENTRY_FROM 0
#define ENTRY_SELF 8
#define ENTRY_COUNT 16
#define ENTRY_SIZE 32
// Registers
#define REGISTERS_PC 0
#define REGISTER(number) (8 + 8 * (number))
#define REGISTERS_SIZE 136
