import { expect, test } from 'vitest'
import { ControllerError, type Failure } from '#drivers/driver.ts'
import { DomainError } from '../errors.ts'
import { deleteInHalves } from './delete-in-halves.ts'

const ids = Array.from({ length: 50 }, (_, n) => `v${n}`)

/** Rejects every call that contains one of these ids. */
function refusing(bad: string[], failure: Failure = 'rejected') {
  const calls: string[][] = []
  const remove = async (piece: string[]): Promise<undefined> => {
    calls.push(piece)
    if (piece.some((id) => bad.includes(id))) throw new ControllerError(failure, 'unknown', 'no')
  }
  return { calls, remove }
}

test('without vouchers there is no call, and without a failure only one', async () => {
  const { calls, remove } = refusing([])

  expect(await deleteInHalves(remove, [])).toEqual({ gone: [], left: [], stoppedBy: undefined })
  expect(await deleteInHalves(remove, ids)).toEqual({ gone: ids, left: [], stoppedBy: undefined })
  expect(calls).toHaveLength(1)
})

test.each(ids.filter((_, n) => n % 7 === 0))('one bad voucher (%s) is found, the rest is deleted', async (bad) => {
  const { calls, remove } = refusing([bad])
  const { gone, left, stoppedBy } = await deleteInHalves(remove, ids)

  expect(gone.toSorted()).toEqual(ids.filter((id) => id !== bad).toSorted())
  expect([left, stoppedBy]).toEqual([[{ id: bad, failure: 'rejected' }], undefined])
  expect(calls.length).toBeLessThan(14)
})

test('a controller that rejects everything is called ten times, not a hundred', async () => {
  const { calls, remove } = refusing(ids, 'failed')
  const { gone, left } = await deleteInHalves(remove, ids)

  expect([gone.length, new Set(left.map(({ id }) => id)).size, left.length, calls.length]).toEqual([0, 50, 50, 10])
})

test.each<Failure>(['unreachable', 'timeout', 'busy', 'sign_in', 'forbidden', 'missing'])(
  'after %s there is no second call, because no single voucher caused it',
  async (failure) => {
    const { calls, remove } = refusing(['v7'], failure)
    const { gone, left, stoppedBy } = await deleteInHalves(remove, ids)

    expect([gone, left.length, stoppedBy, calls.length]).toEqual([[], 50, failure, 1])
  },
)

test('a full slot counts as busy; errors that are not from a controller are thrown', async () => {
  const failing = (error: Error) => deleteInHalves(() => Promise.reject(error), ids)

  expect((await failing(new DomainError('controller_busy'))).stoppedBy).toBe('busy')
  await expect(failing(new Error('a slip'))).rejects.toThrow('a slip')
})

test('a hold stops the deletion; vouchers that were not tried are neither gone nor left', async () => {
  const { calls, remove } = refusing(['v0'])
  const held = async (piece: string[]) => (calls.length === 7 ? 'held' : remove(piece))
  const { gone, left, stoppedBy } = await deleteInHalves(held, ids)

  expect([gone, left, stoppedBy]).toEqual([['v1', 'v2'], [{ id: 'v0', failure: 'rejected' }], 'held'])
})
