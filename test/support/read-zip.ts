import { crc32, inflateRawSync } from 'node:zlib'

/** Reads the files of a ZIP file as other programs do: from its end, by its directory. Throws if a length or a checksum is wrong. */
export function readZip(file: Buffer): Record<string, string> {
  const end = file.lastIndexOf('PK\x05\x06')
  const files: Record<string, string> = {}
  let at = file.readUInt32LE(end + 16)
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    if (file.toString('latin1', at, at + 4) !== 'PK\x01\x02') throw new Error(`no entry at ${at}`)
    const [checksum, packed, length] = [16, 20, 24].map((field) => file.readUInt32LE(at + field)) as [
      number,
      number,
      number,
    ]
    const nameLength = file.readUInt16LE(at + 28)
    const header = file.readUInt32LE(at + 42)
    if (file.toString('latin1', header, header + 4) !== 'PK\x03\x04') throw new Error(`no file at ${header}`)
    const begin = header + 30 + file.readUInt16LE(header + 26) + file.readUInt16LE(header + 28)
    const content = inflateRawSync(file.subarray(begin, begin + packed))
    if (content.length !== length || crc32(content) !== checksum) throw new Error('the content is damaged')
    files[file.toString('utf8', at + 46, at + 46 + nameLength)] = content.toString()
    at += 46 + nameLength
  }
  if (at !== end) throw new Error('the directory does not end before the end record')
  return files
}
