import { expect, test } from 'vitest'
import { chainLine, checkChain, firstHash, type Seal } from './chain.ts'

const idOf = (number: number) => `019a9b1c-0000-7000-8000-00000000000${number}`

/** The lines of an export with these entries, after a line with this hash. */
function exported(numbers: number[], hash = firstHash): { lines: string[]; hash: string } {
  const ids = numbers.map(idOf)
  const seal: Seal = {
    count: ids.length,
    first: ids[0] ?? null,
    last: ids.at(-1) ?? null,
    last_at: '2026-11-19T08:00:00.000Z',
  }
  const contents = [
    ...numbers.map((number) => ({ id: idOf(number), action: 'site.changed', details: { name: `Gäste ${number}` } })),
    { seal },
  ]
  const lines = contents.map((content) => {
    const next = chainLine(content, hash)
    hash = next.hash
    return next.line
  })
  return { lines, hash }
}

const bytesOf = (lines: string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''))
const check = (bytes: Buffer, known?: string) => checkChain([bytes.toString('latin1')], known)
const damageOf = async (lines: string[]) => (await check(bytesOf(lines))).damage

const { lines, hash } = exported([1, 2, 3, 4])
const [first, second, third, fourth, seal] = lines as [string, string, string, string, string]

test('an export without damage: its entries are counted, and its last hash is known', async () => {
  expect(await check(bytesOf(lines), JSON.parse(third).hash)).toEqual({
    hash,
    lines: 5,
    entries: 4,
    seal: { count: 4, first: idOf(1), last: idOf(4), last_at: '2026-11-19T08:00:00.000Z', line: 5 },
    damage: [],
    hasKnownHash: true,
  })
  expect(lines.map((line) => Object.keys(JSON.parse(line)).at(-1))).toEqual(lines.map(() => 'hash'))
})

const doesNotFollow = (line: number, id: number) =>
  expect.stringContaining(`Line ${line} (${idOf(id)}) does not follow`)

test('a changed line is the only one that is named', async () => {
  expect(await damageOf([first, second.replace('site.changed', 'site.removed'), third, fourth, seal])).toEqual([
    doesNotFollow(2, 2),
  ])
})

test('a changed line with a hash that fits is found by the line after it', async () => {
  const { hash: before } = JSON.parse(first)
  const forged = chainLine({ id: idOf(2), action: 'site.removed' }, before).line

  expect(await damageOf([first, forged, third, fourth, seal])).toEqual([doesNotFollow(3, 3)])
})

test('a missing line is found by the line after it, and by the number of entries', async () => {
  const wrongCount = expect.stringMatching(
    /^Line \d ends an export of 4 entries, from .*1 to .*4\. Before it are 3, from/,
  )

  expect(await damageOf([first, third, fourth, seal])).toEqual([doesNotFollow(2, 3), wrongCount])
  expect(await damageOf([second, third, fourth, seal])).toEqual([
    expect.stringContaining(`Line 1 (${idOf(2)}) does not follow the beginning of a chain`),
    wrongCount,
  ])
  expect((await damageOf([first, second, third, seal])).length).toBe(2)
})

test('moved, repeated and foreign lines are named', async () => {
  expect(await damageOf([first, third, second, fourth, seal])).toEqual([
    doesNotFollow(2, 3),
    doesNotFollow(3, 2),
    doesNotFollow(4, 4),
  ])
  expect((await damageOf([first, first, second, third, fourth, seal]))[0]).toEqual(doesNotFollow(2, 1))
  expect(await damageOf([first, '', second, third, fourth, seal])).toEqual([
    'Line 2 is not a line of an export with --chain.',
  ])
})

test.each([0, 1, 4])('an end that was cut off after line %i is found', async (count) => {
  expect(await damageOf(lines.slice(0, count))).toEqual([
    expect.stringContaining(`The end is missing after line ${count}`),
  ])
})

test('a file that was cut within a line is found', async () => {
  const bytes = bytesOf(lines)

  expect((await check(bytes.subarray(0, -1))).damage).toEqual(['Line 5 has no end: the file was cut there.'])
  for (let length = 0; length < bytes.length; length++)
    expect([length, (await check(bytes.subarray(0, length))).damage.length]).not.toEqual([length, 0])
})

test('every change of a single byte is found', async () => {
  const bytes = bytesOf(lines)
  let tried = 0
  for (let place = 0; place < bytes.length; place++)
    for (const value of [
      (bytes[place] as number) ^ 1,
      (bytes[place] as number) ^ 0x20,
      (bytes[place] as number) ^ 0x80,
      0x0a,
      0x0d,
      0x20,
      0,
    ]) {
      if (value === bytes[place]) continue
      const changed = Buffer.from(bytes)
      changed[place] = value
      tried += 1
      if ((await check(changed)).damage.length === 0) throw new Error(`byte ${place} as ${value} is not noticed`)
    }

  expect(tried).toBeGreaterThan(bytes.length * 6)
})

test('exports that continue each other are one chain; without the first, the second does not fit', async () => {
  const next = exported([5, 6], hash)

  expect(await damageOf([...lines, ...next.lines])).toEqual([])
  expect((await check(bytesOf([...lines, ...next.lines]))).hash).toBe(next.hash)
  expect(await damageOf(next.lines)).toEqual([expect.stringContaining('the beginning of a chain')])
  expect(await damageOf([...next.lines, ...lines])).not.toEqual([])
})

test('an export that lacks a whole part at its end is found by the hash from an earlier check', async () => {
  const next = exported([5, 6], hash)

  expect(await check(bytesOf(lines), next.hash)).toMatchObject({ damage: [], hasKnownHash: false })
})

test('the chunks of a file may end anywhere', async () => {
  const text = bytesOf(lines).toString('latin1')

  for (const size of [1, 7, 100]) {
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
    expect(await checkChain(chunks)).toMatchObject({ damage: [], lines: 5 })
  }
})
