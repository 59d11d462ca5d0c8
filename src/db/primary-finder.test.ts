import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ServerRole } from './primary.queries.ts'
import { createPrimaryFinder, NoPrimary } from './primary-finder.ts'

const [a, b] = [
  { host: 'a', port: 5432 },
  { host: 'b', port: 5432 },
]
const primary = (timeline: string): ServerRole => ({ isInRecovery: false, isReadOnly: false, timeline })
const standby: ServerRole = { isInRecovery: true, isReadOnly: true, timeline: undefined }
const readOnly: ServerRole = { ...primary('00000001'), isReadOnly: true }
const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })

type Answers = { a: ServerRole | Error | 'silent'; b: ServerRole | Error | 'silent' }

function finderOf(answers: Answers) {
  const asked: string[] = []
  const ask = async ({ host }: { host: string }) => {
    asked.push(host)
    const answer = answers[host as keyof Answers]
    if (answer === 'silent') return pause(300).then(() => Promise.reject(new Error('timeout expired')))
    if (answer instanceof Error) throw answer
    return answer
  }
  return { asked, finder: createPrimaryFinder({ hosts: [a, b], ask, pauseMs: 10 }) }
}

test.each([
  ['a standby', standby],
  ['a read-only server', readOnly],
  ['a server that is down', refused],
  ['a silent server', 'silent' as const],
])('the primary is found beside %s, and then remembered', async (_, other) => {
  const { finder, asked } = finderOf({ a: other, b: primary('00000001') })

  expect([await finder.find(), await finder.find()]).toEqual([b, b])
  expect(asked.filter((host) => host === 'b')).toHaveLength(1)
})

test('of two servers that accept writes, the one that was promoted last is the primary, and the other is never used again', async () => {
  const answers: Answers = { a: primary('00000009'), b: primary('0000000A') }
  const { finder } = finderOf(answers)
  const first = await finder.find()
  answers.b = refused
  finder.doubt(b)

  expect(first).toBe(b)
  await expect(finder.find()).rejects.toThrow('a:5432 was replaced by another primary, b:5432 does not answer')
  expect(() => finder.confirm(a, primary('00000009'))).toThrow(NoPrimary)
})

test('while one server is silent, a standby that is promoted is found at once', async () => {
  const answers: Answers = { a: 'silent', b: standby }
  const { finder } = finderOf(answers)
  const found = finder.find()
  answers.b = primary('00000002')

  expect(await found).toBe(b)
})

test('connections to another server are closed when the primary has changed, even if nobody asks', async () => {
  const answers: Answers = { a: primary('00000001'), b: standby }
  const { finder } = finderOf(answers)
  await finder.find()
  const closed: string[] = []
  const unwatch = [a, a, b].map((at, i) => finder.watch(at, () => closed.push(`${i} ${at.host}`)))
  unwatch[1]?.()
  answers.a = refused
  finder.doubt(a)
  answers.b = primary('00000002')

  await expect.poll(() => closed).toEqual(['2 b', '0 a']) // the one to b was no connection to the primary at first
})

test('after the last connection is closed, the primary is looked for again', async () => {
  const answers: Answers = { a: primary('00000001'), b: standby }
  const { finder } = finderOf(answers)
  finder.watch(await finder.find(), () => {})()
  Object.assign(answers, { a: standby, b: primary('00000002') })

  expect(await finder.find()).toBe(b)
})

test('an error that does not pass by itself is reported as it is, unless a server answers', async () => {
  const rejected = Object.assign(new Error('no such database'), { code: '3D000' })

  await expect(finderOf({ a: rejected, b: refused }).finder.find()).rejects.toBe(rejected)
  await expect(finderOf({ a: rejected, b: standby }).finder.find()).rejects.toThrow('b:5432 is a standby')
})

test('a process that has just started waits for a slow server, which may have replaced the one that answered', async () => {
  const ask = async ({ host }: { host: string }) => {
    await pause(host === 'a' ? 5 : 600)
    return primary(host === 'a' ? '00000001' : '00000002')
  }

  expect(await createPrimaryFinder({ hosts: [a, b], ask }).find()).toBe(b)
})
