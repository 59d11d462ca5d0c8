import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { type Part, stopOnSignal } from './stop-on-signal.ts'

/** The process of the tests must not exit when a stop takes too long. */
const never = 2 ** 30

test('a part that is still starting when the stop begins is stopped before the parts that it uses', async () => {
  const running = stopOnSignal(pino({ level: 'silent' }), never)
  const stopped: string[] = []
  await running.add({ stop: async () => void stopped.push('database') })
  const { promise: worker, resolve } = Promise.withResolvers<Part>()

  const starting = running.start(() => worker)
  const stopping = running.stop()
  resolve({ stop: async () => void stopped.push('worker') })
  await Promise.all([starting, stopping])

  expect(stopped).toEqual(['worker', 'database'])
})

test('a part that could not start does not hinder the stop', async () => {
  const running = stopOnSignal(pino({ level: 'silent' }), never)
  const stopped: string[] = []
  await running.add({ stop: async () => void stopped.push('database') })

  await expect(running.start(() => Promise.reject(new Error('no port')))).rejects.toThrow('no port')
  await running.stop()

  expect(stopped).toEqual(['database'])
})

test('after a stop, nothing starts', async () => {
  const running = stopOnSignal(pino({ level: 'silent' }), never)
  await running.stop()
  const begin = vi.fn(async () => undefined)

  await running.start(begin)

  expect(begin).not.toHaveBeenCalled()
})

test('after a failed start, a part that cannot be stopped does not hide the reason', async () => {
  const running = stopOnSignal(pino({ level: 'silent' }), never)
  await running.add({ stop: () => Promise.reject(new Error('still in use')) })

  await expect(running.stopAfter(new Error('no data'))).rejects.toThrow('no data')
})
