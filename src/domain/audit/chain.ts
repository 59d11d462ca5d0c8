import { createHash } from 'node:crypto'

/** The hash before the first line of a chain. */
export const firstHash = '0'.repeat(64)

/** The last line of each export: how many entries it has, and which. Without it, an end that was cut off would not be noticed. */
export type Seal = { count: number; first: string | null; last: string | null; last_at: string | null }

/** The line with the hash of the line before it and of itself. The hash covers every other byte of the line. */
export function chainLine(content: object, previousHash: string): { line: string; hash: string } {
  const text = JSON.stringify(content)
  const hash = hashOf(previousHash, text)
  return { line: `${text.slice(0, -1)},"hash":"${hash}"}`, hash }
}

/** `text` has one character for each byte, so that no byte is lost that is not valid UTF-8. */
function hashOf(previousHash: string, text: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  return createHash('sha256').update(previousHash).update(text, encoding).digest('hex')
}

type CheckedChain = {
  hash: string
  lines: number
  entries: number
  /** The last seal, and the number of its line. */
  seal: (Seal & { line: number }) | undefined
  /** The places where the file was changed, a sentence for each. Empty if every line is as it was exported. */
  damage: string[]
  hasKnownHash: boolean
}

type Progress = CheckedChain & { first: string | null; last: string | null; count: number; known: string | undefined }

/** Sentences beyond these are left out: after a large loss, they only repeat themselves. */
const mostSentences = 20

/**
 * Checks the lines of one or several exports that continue each other. `chunks` have one character for each byte (latin1). A line is
 * compared with the hash that the line before it states, so that a changed line is the only one that is named. `known` is the hash of a
 * line that must be there.
 */
export async function checkChain(
  chunks: AsyncIterable<string> | Iterable<string>,
  known?: string,
): Promise<CheckedChain> {
  const progress: Progress = {
    hash: firstHash,
    lines: 0,
    entries: 0,
    seal: undefined,
    first: null,
    last: null,
    count: 0,
    damage: [],
    hasKnownHash: false,
    known,
  }
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() as string
    for (const line of lines) checkLine(progress, line)
  }
  if (rest !== '') addDamage(progress, `Line ${progress.lines + 1} has no end: the file was cut there.`)
  else if (progress.count > 0 || progress.seal === undefined)
    addDamage(
      progress,
      `The end is missing after line ${progress.lines}: the last line of an export says how many entries it has.`,
    )
  const { hash, lines, entries, seal, damage, hasKnownHash } = progress
  return { hash, lines, entries, seal, damage, hasKnownHash }
}

function addDamage({ damage }: Progress, sentence: string): void {
  if (damage.length < mostSentences) damage.push(sentence)
  else if (damage.length === mostSentences) damage.push('There is more damage.')
}

function checkLine(progress: Progress, line: string): void {
  progress.lines += 1
  const place = `Line ${progress.lines}`
  const [, text, hash] = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s.exec(line) ?? []
  const content = text === undefined ? undefined : parse(`${text}}`)
  if (text === undefined || hash === undefined || content === undefined) {
    addDamage(progress, `${place} is not a line of an export with --chain.`)
    return
  }
  const isIntact = hashOf(progress.hash, `${text}}`, 'latin1') === hash
  if (!isIntact)
    addDamage(
      progress,
      `${place}${nameOf(content)} does not follow ${progress.lines === 1 ? 'the beginning of a chain' : 'the line before it'}: it was changed or moved, or a line before it was changed, moved or removed.`,
    )
  progress.hash = hash
  if (hash === progress.known) progress.hasKnownHash = true
  if (typeof content.seal === 'object' && content.seal !== null) checkSeal(progress, content.seal as Seal)
  else countEntry(progress, content)
}

function countEntry(progress: Progress, content: Record<string, unknown>): void {
  const id = String(content.id)
  progress.first ??= id
  progress.last = id
  progress.count += 1
  progress.entries += 1
}

function checkSeal(progress: Progress, seal: Seal): void {
  const { count, first, last, lines: line } = progress
  if (seal.count !== count || seal.first !== first || seal.last !== last)
    addDamage(
      progress,
      `Line ${line} ends an export of ${seal.count} entries, from ${seal.first} to ${seal.last}. Before it are ${count}, from ${first} to ${last}.`,
    )
  progress.seal = { ...seal, line }
  progress.first = null
  progress.last = null
  progress.count = 0
}

function nameOf({ id }: Record<string, unknown>): string {
  return typeof id === 'string' ? ` (${id})` : ''
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
