// What an ELF file's headers say about a program. Pure. Damaged files are no programs.

export interface ProgramFacts {
  readonly hasLines: boolean; // debug information: it was built with -g, and not stripped
  readonly buildId: string | undefined; // the same for a program and for its stripped copies
}

// Bytes of the file from an offset on; fewer at its end.
export type ReadBytes = (offset: number, length: number) => Promise<Buffer>;

const headerSize = 64;
const mostHeaders = 1024;
const mostBytes = 64 * 1024;

interface Part {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
}

// Undefined for libraries, object files and whatever else cannot be started.
export async function programFacts(read: ReadBytes): Promise<ProgramFacts | undefined> {
  const header = await read(0, headerSize);
  if (header.length < 52 || header.toString('latin1', 0, 4) !== '\x7fELF') return undefined;
  const fields = new Fields(header);
  const type = fields.half(16);
  if (type !== 2 && type !== 3) return undefined;
  const parts = await programParts(read, fields);
  // A position-independent program names what loads it, or says that it is none of the libraries.
  const isProgram = type === 2 || (await namesLoader(read, parts)) || (await isStaticProgram(read, fields, parts));
  if (!isProgram) return undefined;
  return { hasLines: await hasLines(read, fields), buildId: await buildIdOf(read, fields, parts) };
}

// Of either byte order and word size.
class Fields {
  private readonly isBig: boolean;
  readonly isWide: boolean;

  constructor(private readonly bytes: Buffer, like?: Fields) {
    this.isBig = like?.isBig ?? bytes[5] === 2;
    this.isWide = like?.isWide ?? bytes[4] === 2;
  }

  of(bytes: Buffer): Fields {
    return new Fields(bytes, this);
  }

  half(at: number): number {
    return this.isBig ? this.bytes.readUInt16BE(at) : this.bytes.readUInt16LE(at);
  }

  word(at: number): number {
    return this.isBig ? this.bytes.readUInt32BE(at) : this.bytes.readUInt32LE(at);
  }

  // An address or offset.
  long(at: number): number {
    if (!this.isWide) return this.word(at);
    return Number(this.isBig ? this.bytes.readBigUInt64BE(at) : this.bytes.readBigUInt64LE(at));
  }
}

async function programParts(read: ReadBytes, header: Fields): Promise<Part[]> {
  const { isWide } = header;
  const start = header.long(isWide ? 32 : 28);
  const size = header.half(isWide ? 54 : 42);
  const count = Math.min(header.half(isWide ? 56 : 44), mostHeaders);
  if (size !== (isWide ? 56 : 32)) return [];
  const bytes = await read(start, size * count);
  const fields = header.of(bytes);
  const parts: Part[] = [];
  for (let at = 0; at + size <= bytes.length; at += size) {
    parts.push({ type: fields.word(at), offset: fields.long(at + (isWide ? 8 : 4)), size: fields.long(at + (isWide ? 32 : 16)) });
  }
  return parts;
}

// A debug file has the headers of its program, and nothing behind them.
async function namesLoader(read: ReadBytes, parts: readonly Part[]): Promise<boolean> {
  const loader = parts.find(({ type }) => type === 3);
  return loader !== undefined && loader.size > 0 && (await read(loader.offset, 1)).toString('latin1') === '/';
}

// DF_1_PIE of DT_FLAGS_1.
async function isStaticProgram(read: ReadBytes, header: Fields, parts: readonly Part[]): Promise<boolean> {
  const dynamic = parts.find(({ type }) => type === 2);
  if (dynamic === undefined) return false;
  const bytes = await read(dynamic.offset, Math.min(dynamic.size, mostBytes));
  const fields = header.of(bytes);
  const size = header.isWide ? 8 : 4;
  for (let at = 0; at + 2 * size <= bytes.length; at += 2 * size) {
    if (fields.long(at) === 0x6ffffffb) return (fields.long(at + size) & 0x08000000) !== 0;
  }
  return false;
}

async function buildIdOf(read: ReadBytes, header: Fields, parts: readonly Part[]): Promise<string | undefined> {
  for (const { offset, size } of parts.filter(({ type }) => type === 4)) {
    const bytes = await read(offset, Math.min(size, mostBytes));
    const fields = header.of(bytes);
    for (let at = 0; at + 12 <= bytes.length;) {
      const nameSize = fields.word(at);
      const valueSize = fields.word(at + 4);
      const value = at + 12 + padded(nameSize);
      if (fields.word(at + 8) === 3 && bytes.toString('latin1', at + 12, at + 16) === 'GNU\0') {
        return bytes.toString('hex', value, value + valueSize);
      }
      at = value + padded(valueSize);
    }
  }
  return undefined;
}

function padded(size: number): number {
  return Math.ceil(size / 4) * 4;
}

async function hasLines(read: ReadBytes, header: Fields): Promise<boolean> {
  const { isWide } = header;
  const start = header.long(isWide ? 40 : 32);
  const size = header.half(isWide ? 58 : 46);
  const count = Math.min(header.half(isWide ? 60 : 48), mostHeaders);
  const names = header.half(isWide ? 62 : 50);
  if (start === 0 || size !== (isWide ? 64 : 40) || names >= count) return false;
  const bytes = await read(start, size * count);
  if (bytes.length < size * count) return false;
  const fields = header.of(bytes);
  const table = names * size;
  const text = await read(fields.long(table + (isWide ? 24 : 16)), Math.min(fields.long(table + (isWide ? 32 : 20)), mostBytes));
  return /\.z?debug_line\0/.test(text.toString('latin1'));
}
