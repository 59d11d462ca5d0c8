import { createReadStream } from 'node:fs'
import { CommandRefused } from '#domain/errors.ts'

/** A file, or standard input for `-`, as UTF-8 with or without a byte order mark. Stops reading beyond the limit. */
export async function readText(path: string, maxMiB: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) {
      bytes += chunk.length
      if (bytes > maxMiB * 1024 * 1024) throw new CommandRefused(`${naming(path)} is larger than ${maxMiB} MiB.`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof CommandRefused) throw error
    throw new CommandRefused(`${naming(path)} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new CommandRefused(`${naming(path)} is not UTF-8. Save it as "CSV UTF-8".`)
  }
}

function naming(path: string): string {
  return path === '-' ? 'Standard input' : path
}
