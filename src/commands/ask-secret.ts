import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandRefused } from '#domain/errors.ts'
import { readSecret } from './read-secret.ts'

/** Asks the person at the terminal without showing what is typed; without one it is standard input. */
export async function askSecret(): Promise<string> {
  if (!process.stdin.isTTY) return readSecret('-')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  process.stderr.write('New password or API key (it is not shown): ')
  const { promise, resolve } = Promise.withResolvers<string>()
  lines.once('line', resolve).once('close', () => resolve('')) // by Ctrl-C or Ctrl-D
  const secret = await promise
  lines.close()
  process.stderr.write('\n')
  if (secret === '') throw new CommandRefused('No secret was entered.')
  return secret
}
