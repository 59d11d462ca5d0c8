import { pino } from 'pino'
import { expect, test } from 'vitest'
import { type Part, stopOnSignal } from './stop-on-signal.ts'

/** The process of the tests must not exit when a stop takes too long. */
const never = 2 ** 30

test('a part that is still starting when the stop begins is stopped before the parts that it uses', async () => {
  const running = stopOnSignal(pino({ level: 'silent' }), never)
  const stopped: string[] = []
  await running.add({ stop: async () => void stopped.push('database') })
  const { promise: worker, resolve } = Promise.withResolvers<Part>()

  const adding = running.add(worker)
  const stopping = running.stop()
  resolve({ stop: async () => void stopped.push('worker') })
  await Promise.all([adding, stopping])

  expect(stopped).toEqual(['worker', 'database'])
})

test('a part that could not start does not hinder the stop', async () => {
  const running = stopOnSignal(pino({ level: 'silent' }), never)
  const stopped: string[] = []
  await running.add({ stop: async () => void stopped.push('database') })

  await expect(running.add(Promise.reject(new Error('no port')))).rejects.toThrow('no port')
  await running.stop()

  expect(stopped).toEqual(['database'])
})
