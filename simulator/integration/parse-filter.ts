export type Argument = { text: string; quoted: boolean }

export type Filter =
  | { kind: 'and' | 'or' | 'not'; parts: Filter[] }
  | { kind: 'property'; property: string; fn: string; args: Argument[] }

export class FilterError extends Error {}

const word = /[A-Za-z][A-Za-z0-9]*/y
const quoted = /'((?:[^']|'')*)'/y
const bare = /[^\s,()']+/y

/** Parses filters such as `name.like('Visit*')`, `and(a, b)`, `or(a, b)` and `not(a)`. */
export function parseFilter(text: string): Filter {
  let at = 0

  const fail = (): never => {
    throw new FilterError(`Filter is not understood at position ${at}`)
  }
  const skipSpace = () => {
    while (text[at] === ' ') at++
  }
  const tryRead = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const trySkip = (char: string): boolean => {
    if (text[at] !== char) return false
    at++
    return true
  }
  const mustSkip = (char: string) => trySkip(char) || fail()
  const readWord = (): string => (tryRead(word) ?? fail())[0]

  function readList<T>(readOne: () => T): T[] {
    mustSkip('(')
    const items: T[] = []
    skipSpace()
    if (trySkip(')')) return items
    do {
      skipSpace()
      items.push(readOne())
      skipSpace()
    } while (trySkip(','))
    mustSkip(')')
    return items
  }
  function readArgument(): Argument {
    const string = tryRead(quoted)
    if (string) return { text: (string[1] ?? '').replaceAll("''", "'"), quoted: true }
    return { text: (tryRead(bare) ?? fail())[0], quoted: false }
  }
  function readFilter(): Filter {
    const first = readWord()
    if (trySkip('.')) return { kind: 'property', property: first, fn: readWord(), args: readList(readArgument) }
    if (first !== 'and' && first !== 'or' && first !== 'not') return fail()
    const parts = readList(readFilter)
    if (first === 'not' ? parts.length !== 1 : parts.length < 2) fail()
    return { kind: first, parts }
  }

  skipSpace()
  const filter = readFilter()
  skipSpace()
  if (at < text.length) fail()
  return filter
}
