import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { readSecret } from './read-input.ts'
import { CommandRefused } from './refusals.ts'
import type { Terminal } from './terminal.ts'

/** Asks a yes-or-no question. Any answer but a clear yes ends the command. */
export async function confirm({ stdin, stderr }: Terminal, question: string): Promise<void> {
  stderr.write(`${question} [y/N] `)
  const lines = createInterface({ input: stdin() })
  const [answer] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string | undefined]
  lines.close()
  if (!/^y(es)?$/i.test(answer?.trim() ?? ''))
    throw new CommandRefused('Nothing was done. Use --yes to skip this question.')
}

/** Asks for a secret without showing what is typed. Where no person can type, reads it from standard input. */
export async function askSecret(terminal: Terminal, what: string): Promise<string> {
  const { stderr } = terminal
  const stdin = terminal.stdin()
  if (!stdin.isTTY) return readSecret(terminal, '-')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true })
  stderr.write(`${what} (it is not shown): `)
  const { promise, resolve } = Promise.withResolvers<string>()
  lines.once('line', resolve).once('close', () => resolve('')) // by Ctrl-C or Ctrl-D
  const secret = await promise
  lines.close()
  stderr.write('\n')
  if (secret === '') throw new CommandRefused('No secret was entered. Run the command again and enter it.')
  return secret
}
