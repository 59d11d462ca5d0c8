import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { CommandRefused } from '#domain/errors.ts'

/** From a file or standard input, never from the command line: other users of the machine can read that. */
export async function readSecret(path: string): Promise<string> {
  const content = await (path === '-' ? text(process.stdin) : readFile(path, 'utf8')).catch((error) => {
    throw new CommandRefused(`The secret cannot be read from ${path} (${error.code}).`)
  })
  const secret = content.replace(/\r?\n$/, '')
  if (secret === '') throw new CommandRefused(`${path === '-' ? 'Standard input' : path} holds no secret.`)
  return secret
}
