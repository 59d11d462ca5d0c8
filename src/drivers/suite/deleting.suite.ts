import { expect, test } from 'vitest'
import type { Bench } from './setup.suite.ts'

export function testDeleting({ simulator, connection, create, listAll }: Bench): void {
  test('delete: only the given vouchers; deleting them again is no error', async () => {
    const made = await create({ name: 'to delete' }, 60)
    const [kept, ...doomed] = made.map(({ id }) => id as string)
    await connection.delete('default', doomed)
    await connection.delete('default', doomed)
    const left = (await listAll('default')).map(({ id }) => id)

    expect(left).toContain(kept)
    expect(doomed.filter((id) => left.includes(id))).toEqual([])
  })

  test.each([200, 204])('delete: an answer with status %d and no body is a success', async (emptyDeletes) => {
    const [voucher] = await create()
    await simulator.behave({ emptyDeletes })
    await connection.delete('default', [voucher?.id as string])

    expect((await simulator.vouchers()).find(({ code }) => code === voucher?.code)).toMatchObject({ deleted: true })
  })

  test.each(['empty', 'server-error', 'reset', 'gateway-html', 'forbidden'])(
    'delete, fault %s: an error',
    async (kind) => {
      const [voucher] = await create()
      await simulator.fault(kind, { on: 'delete' })

      await expect(connection.delete('default', [voucher?.id as string])).rejects.toMatchObject({
        name: 'ControllerError',
      })
    },
  )
}
