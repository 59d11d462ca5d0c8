import { crc32, deflateRawSync } from 'node:zlib'

export type ZipFile = { name: string; content: Buffer }

/** The latest time that the format has. */
const lastYear = 2107

/** A ZIP file with compressed files, for archives that fit into memory. Names must be ASCII. Times are UTC. */
export function zip(files: ZipFile[], now: Date): Buffer {
  const parts: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const { name, content } of files) {
    const compressed = deflateRawSync(content)
    const common = commonFields({ name, content, compressed, now })
    const header = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name)])
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, entryEnd(offset), Buffer.from(name)]))
    parts.push(header, compressed)
    offset += header.length + compressed.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, directory, end])
}

/** The fields that a file and its entry in the directory have in common: from the needed version to the lengths of name and comment. */
function commonFields({ name, content, compressed, now }: ZipFile & { compressed: Buffer; now: Date }): Buffer {
  const year = Math.min(now.getUTCFullYear(), lastYear)
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0) // the version that reads compressed files
  fields.writeUInt16LE(8, 4) // compressed by deflate
  fields.writeUInt16LE((now.getUTCHours() << 11) | (now.getUTCMinutes() << 5) | (now.getUTCSeconds() >> 1), 6)
  fields.writeUInt16LE(((year - 1980) << 9) | ((now.getUTCMonth() + 1) << 5) | now.getUTCDate(), 8)
  fields.writeUInt32LE(crc32(content), 10)
  fields.writeUInt32LE(compressed.length, 14)
  fields.writeUInt32LE(content.length, 18)
  fields.writeUInt16LE(name.length, 22)
  return fields
}

/** The rest of an entry: no comment, no attributes, and where the file begins. */
function entryEnd(offset: number): Buffer {
  const fields = Buffer.alloc(14)
  fields.writeUInt32LE(offset, 10)
  return fields
}
