import { expect, test } from 'vitest'
import { timeLimit } from '#test/measuring.ts'
import { maskAnswer } from './mask-answer.ts'

/** The longest answer that is read from a mail server. */
const longest = 64 * 1024

test.each([
  ['one long word', 'a'.repeat(longest)],
  ['many words', 'room-12 '.repeat(longest / 8)],
  ['many @', 'a@'.repeat(longest / 2)],
])('an answer of 64 KiB is masked at once: %s', (_what, text) => {
  const startedAt = performance.now()
  maskAnswer(`451 ${text}`, { password: 'a long password' })

  expect(performance.now() - startedAt).toBeLessThan(timeLimit(200))
})

test.each([
  ['a@b', '***'],
  ['<gast@example.org>: rejected', '<***>: rejected'],
  ['gast@example.org,a@b', '***,***'],
  ['@b', '@b'],
  ['a@', 'a@'],
  ['a@@b', '***'],
])('%s becomes %s', (answer, masked) => {
  expect(maskAnswer(answer, { password: null })).toBe(masked)
})
