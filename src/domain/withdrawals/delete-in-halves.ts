import type { Failure } from '#drivers/driver.ts'
import { failureOf } from '../controllers/failure-of.ts'

/** These can be one voucher's fault. With every other failure there is no use in asking on. */
const perhapsOfOne: Failure[] = ['rejected', 'failed', 'no_voucher']
/** So often in a row, and it is no single voucher's fault. */
const maxInARow = 10

export type Deletion = {
  gone: string[]
  /** Each of them was refused alone, or not tried any more. */
  left: { id: string; failure: Failure }[]
  /** Why no more was tried: it is the controller. */
  stoppedBy: Failure | undefined
}

/**
 * Deletes what can be deleted: where one voucher spoils it for the others, halves of the list find that one. After too
 * many refusals the rest is left for another time, and then the order must be another one.
 */
export async function deleteInHalves(remove: (ids: string[]) => Promise<void>, ids: string[]): Promise<Deletion> {
  const gone: string[] = []
  const left: Deletion['left'] = []
  const waiting = ids.length > 0 ? [ids] : []
  let inARow = 0
  for (let piece = waiting.pop(); piece; piece = waiting.pop()) {
    const failure = await failureWhen(remove(piece))
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

async function failureWhen(removing: Promise<void>): Promise<Failure | undefined> {
  try {
    await removing
    return undefined
  } catch (error) {
    const failure = failureOf(error)
    if (failure === undefined) throw error
    return failure
  }
}
