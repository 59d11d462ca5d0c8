import type { Failure } from '#drivers/driver.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'

/** Failures that a single voucher may cause. After any other failure it is useless to go on. */
const perhapsOfOne: Failure[] = ['rejected', 'failed', 'no_voucher']
/** After this many failures in a row, the cause is not a single voucher. */
const maxInARow = 10

export type Deletion = {
  gone: string[]
  /** Vouchers that were rejected alone, or not tried after a failure. */
  left: { id: string; failure: Failure }[]
  /** The failure of the controller after which nothing more was tried, or a hold. */
  stoppedBy: Failure | 'held' | undefined
}

type Remove = (ids: string[]) => Promise<'held' | undefined>

/**
 * Deletes all vouchers that can be deleted. If one voucher makes a call fail, halving the list finds it. After too many
 * failures the rest is left for the next attempt, which must use a different order. `remove` returns `held` if it deleted
 * nothing because the service is held.
 */
export async function deleteInHalves(remove: Remove, ids: string[]): Promise<Deletion> {
  const gone: string[] = []
  const left: Deletion['left'] = []
  const waiting = ids.length > 0 ? [ids] : []
  let inARow = 0
  for (let piece = waiting.pop(); piece; piece = waiting.pop()) {
    const failure = await failureWhen(remove(piece))
    if (failure === 'held') return { gone, left, stoppedBy: failure }
    if (failure === undefined) {
      gone.push(...piece)
      inARow = 0
      continue
    }
    inARow += 1
    const isOfController = !perhapsOfOne.includes(failure)
    if (isOfController || inARow >= maxInARow) {
      left.push(...[piece, ...waiting].flat().map((id) => ({ id, failure })))
      return { gone, left, stoppedBy: isOfController ? failure : undefined }
    }
    const middle = Math.floor(piece.length / 2)
    if (middle === 0) left.push(...piece.map((id) => ({ id, failure })))
    else waiting.push(piece.slice(middle), piece.slice(0, middle))
  }
  return { gone, left, stoppedBy: undefined }
}

async function failureWhen(removing: ReturnType<Remove>): Promise<Failure | 'held' | undefined> {
  try {
    return await removing
  } catch (error) {
    const failure = controllerFailure(error)
    if (failure === undefined) throw error
    return failure
  }
}
