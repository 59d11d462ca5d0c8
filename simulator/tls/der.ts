/** The few kinds of ASN.1 values that a certificate is made of, in DER. */
export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const

export function encode(tagByte: number, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Buffer.concat([Buffer.from([tagByte]), encodeLength(content.length), content])
}

export function sequence(...parts: Buffer[]): Buffer {
  return encode(tag.sequence, ...parts)
}

/** `[number] EXPLICIT`. */
export function tagged(number: number, part: Buffer): Buffer {
  return encode(0xa0 + number, part)
}

/** From its dotted form. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return encode(tag.objectId, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Until 2049. */
export function utcTime(date: Date): Buffer {
  const digits = date.toISOString().slice(2, '2026-01-01T00:00:00'.length).replaceAll(/\D/g, '')
  return encode(tag.utcTime, `${digits}Z`)
}

function base128(value: number): number[] {
  const septets = [value % 128]
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) septets.unshift((left % 128) + 128)
  return septets
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = Buffer.from(length.toString(16).padStart(4, '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 + bytes.length]), bytes])
}
