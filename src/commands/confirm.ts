import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { CommandRefused } from '#domain/errors.ts'

/** Asks the person at the terminal; only a clear yes goes on. */
export async function confirm(question: string): Promise<void> {
  process.stderr.write(`${question} [y/N] `)
  const lines = createInterface({ input: process.stdin })
  const [answer] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string | undefined]
  lines.close()
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new CommandRefused('Nothing was done. --yes answers beforehand.')
}
