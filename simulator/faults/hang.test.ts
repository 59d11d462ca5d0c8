import { expect, test } from 'vitest'
import { client, create, useTestBench, visit } from '../test-bench.ts'

useTestBench()

const waiting = async (count: number) => {
  await expect.poll(async () => (await client.control('/requests')).json()).toHaveLength(count)
}

test.each([
  { words: 'false', setBack: () => client.behave({ hang: false }) },
  { words: 'the default', setBack: () => client.control('/behaviour', undefined, 'DELETE') },
])(
  'while the controller hangs it does nothing, and setting it to $words closes the waiting connections',
  async ({ setBack }) => {
    await client.behave({ hang: true })
    const open = [create(), client.call('/'), client.call('/api/auth/login', { method: 'POST', body: {} })]
    const failures = Promise.allSettled(open)
    await waiting(3)

    await expect(create(visit, { timeoutMs: 200 })).rejects.toThrow(/timeout/)
    await client.behave({ booting: false })
    const settled = await Promise.race([failures, 'still open'])
    expect(settled).toBe('still open')
    await setBack()
    expect(await failures).toMatchObject(Array(3).fill({ status: 'rejected', reason: { message: 'fetch failed' } }))
    expect(await client.made()).toEqual([])
    expect((await client.control('/requests')).json()).toMatchObject(Array(4).fill({ status: null, replyBytes: null }))
    expect((await create()).status).toBe(201)
  },
)

test('a fault waits until the controller no longer hangs', async () => {
  await client.control('/faults', { on: 'create', kind: 'refuse' })
  await client.behave({ hang: true })
  await expect(create(visit, { timeoutMs: 200 })).rejects.toThrow(/timeout/)

  await client.behave({ hang: false })
  expect((await create()).status).toBe(400)
})
