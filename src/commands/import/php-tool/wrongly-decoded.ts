/** The bytes of windows-1252, which MySQL calls latin1, by their characters. */
const bytes = new Map(
  Array.from({ length: 256 }, (_, byte) => [new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), byte]),
)

/** The text that was meant, if this one is UTF-8 that was read as latin1, such as "MÃ¼ller". */
export function wronglyDecoded(text: string): string | undefined {
  if (!/[\u00c2-\u00f4]/.test(text)) return undefined
  const read = [...text].map((character) => bytes.get(character))
  if (read.includes(undefined)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(read as number[]))
  } catch {
    return undefined
  }
}
