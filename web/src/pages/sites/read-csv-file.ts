export type CsvFile = {
  /** The file in UTF-8, as the service needs it. */
  csv: Blob
  /** The encoding was guessed (Windows-1252), so somebody should look at the special letters. */
  isConverted: boolean
}

const zipStart = [0x50, 0x4b, 0x03, 0x04]

/**
 * Reads a CSV file as spreadsheets save it: UTF-8, UTF-16 ("Unicode text" in Excel) or Windows-1252 ("CSV" in a German or
 * English Excel). A workbook (xlsx) stays as it is: the service rejects it and says how to save it.
 */
export async function readCsvFile(file: Blob): Promise<CsvFile> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const encoding = encodingOf(bytes)
  // The name decides the type on some systems, and spreadsheets register types of their own.
  const type = 'text/csv'
  if (encoding === 'utf-8') return { csv: new Blob([bytes], { type }), isConverted: false }
  return {
    csv: new Blob([new TextDecoder(encoding).decode(bytes)], { type }),
    isConverted: encoding === 'windows-1252',
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const isText = zipStart.some((byte, index) => bytes[index] !== byte) && !bytes.includes(0)
  return isText && !isUtf8(bytes) ? 'windows-1252' : 'utf-8'
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
