import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { CommandRefused } from './refusals.ts'
import type { Terminal } from './terminal.ts'

/** Reads a file, or standard input for `-`, as UTF-8 with or without a byte order mark. Stops beyond the limit. */
export async function readText({ stdin }: Terminal, path: string, maxMiB: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of path === '-' ? stdin() : createReadStream(path)) {
      bytes += chunk.length
      if (bytes > maxMiB * 1024 * 1024)
        throw new CommandRefused(`${nameOf(path)} is larger than ${maxMiB} MiB. Split it into smaller files.`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof CommandRefused) throw error
    throw new CommandRefused(
      `${nameOf(path)} cannot be read (${(error as NodeJS.ErrnoException).code}). Check the path.`,
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new CommandRefused(`${nameOf(path)} is not UTF-8. Save it as "CSV UTF-8".`)
  }
}

/**
 * Reads a secret from a file, or from standard input for `-`. Never from the command line, which other users of the
 * machine can read.
 */
export async function readSecret({ stdin }: Terminal, path: string): Promise<string> {
  const content = await (path === '-' ? text(stdin()) : readFile(path, 'utf8')).catch((error) => {
    throw new CommandRefused(`The secret cannot be read from ${path} (${error.code}). Check the path.`)
  })
  const secret = content.replace(/\r?\n$/, '')
  if (secret === '') throw new CommandRefused(`${nameOf(path)} is empty. Write the secret to it.`)
  return secret
}

function nameOf(path: string): string {
  return path === '-' ? 'Standard input' : path
}
