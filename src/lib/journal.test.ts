import { pino } from 'pino'
import { expect, test } from 'vitest'
import { asErrors, withPriority } from './journal.ts'

test('each level has its priority of syslog, also in lines of a child logger', () => {
  const lines: string[] = []
  const stream = { write: (line: string) => lines.push(line) }
  const log = pino({ level: 'trace', hooks: { streamWrite: withPriority } }, stream).child({ part: 'worker' })
  log.fatal('a')
  log.error('b')
  log.warn('c')
  log.info('d')
  log.debug('e')
  log.trace('f')

  expect(lines.map((line) => line.slice(0, 3))).toEqual(['<2>', '<3>', '<4>', '<6>', '<7>', '<7>'])
  expect(JSON.parse(lines[2]?.slice(3) ?? '')).toMatchObject({ level: 40, msg: 'c', part: 'worker' })
})

test('every line of a message gets the priority of an error', () => {
  expect(asErrors('Some settings are missing:\n  - PORT')).toBe('<3>Some settings are missing:\n<3>  - PORT')
})
