import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { CommandRefused } from './refusals.ts'
import type { Terminal } from './terminal.ts'

/** Reads a file, or standard input for `-`. Stops soon after `maxBytes`, so the result may be longer. */
export async function readBytes({ stdin }: Terminal, path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of path === '-' ? stdin() : createReadStream(path)) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) break
    }
  } catch (error) {
    throw new CommandRefused(
      `${nameOf(path)} cannot be read (${(error as NodeJS.ErrnoException).code}). Check the path.`,
    )
  }
  return Buffer.concat(chunks)
}

/** Reads a file, or standard input for `-`, as UTF-8 with or without a byte order mark. */
export async function readText(terminal: Terminal, path: string, maxMiB: number): Promise<string> {
  const maxBytes = maxMiB * 1024 * 1024
  const bytes = await readBytes(terminal, path, maxBytes)
  if (bytes.length > maxBytes)
    throw new CommandRefused(`${nameOf(path)} is larger than ${maxMiB} MiB. Split it into smaller files.`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
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
