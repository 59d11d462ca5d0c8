import type { IncomingMessage, ServerResponse } from 'node:http'
import { defaultBehaviour } from '../behaviour.ts'
import { isObject, type JsonObject, parseJson } from '../http/json.ts'
import { readBody } from '../http/receive-call.ts'
import { jsonArray, type Reply, sendReply, sendStream } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { insertHistory } from './insert-history.ts'
import { ControlError, neverExpire, readBehaviour, readFault } from './read-control-body.ts'
import {
  authorizeElsewhere,
  controlView,
  createElsewhere,
  deleteElsewhere,
  giveCodes,
  guestView,
  redeemCode,
} from './voucher-actions.ts'

export const controlPrefix = '/control'

type Answer = Reply | Iterable<string>

const actions = new Map<string, (simulator: Simulator, body: () => JsonObject) => Answer>([
  ['GET /control/vouchers', listVouchers],
  ['POST /control/vouchers', ({ store }, body) => createElsewhere(store, body())],
  ['POST /control/history', (simulator, body) => insertHistory(simulator, body())],
  ['POST /control/delete', ({ store }, body) => deleteElsewhere(store, body())],
  ['POST /control/codes', ({ store }, body) => giveCodes(store, body())],
  ['POST /control/redeem', ({ store }, body) => redeemCode(store, body())],
  ['GET /control/guests', listGuests],
  ['POST /control/guests', ({ store }, body) => authorizeElsewhere(store, body())],
  ['POST /control/clock', moveClock],
  ['GET /control/requests', ({ requests }) => jsonArray(requests.list(), (entry) => entry)],
  ['DELETE /control/requests', ({ requests }) => ({ status: 200, json: { deleted: requests.clear() } })],
  ['GET /control/faults', ({ faults }) => ({ status: 200, json: faults.list() })],
  ['POST /control/faults', addFault],
  ['DELETE /control/faults', ({ faults }) => ({ status: 200, json: { deleted: faults.clear() } })],
  ['GET /control/behaviour', ({ behaviour }) => ({ status: 200, json: behaviour })],
  ['POST /control/behaviour', changeBehaviour],
  ['DELETE /control/behaviour', resetBehaviour],
  ['GET /control/sign-ins', ({ signIns }) => jsonArray(signIns, (entry) => entry)],
  ['DELETE /control/sign-ins', ({ signIns }) => ({ status: 200, json: { deleted: signIns.splice(0).length } })],
])

/** Answers the requests of tests: they inspect and change the controller without its APIs. */
export async function handleControl(
  simulator: Simulator,
  { request, response, path }: { request: IncomingMessage; response: ServerResponse; path: string },
): Promise<void> {
  const text = await readBody(request)
  const answer = run(simulator, { action: `${request.method} ${path}`, text })
  if ('status' in answer) return sendReply(response, answer)
  await sendStream(response, answer)
}

function run(simulator: Simulator, { action, text }: { action: string; text: string | undefined }): Answer {
  try {
    const perform = actions.get(action)
    if (!perform) throw new ControlError(404, 'There is no such control')
    return perform(simulator, () => {
      const body = parseJson(text ?? '')
      if (!isObject(body)) throw new ControlError(400, 'The body must be a JSON object')
      return body
    })
  } catch (error) {
    if (error instanceof ControlError) return { status: error.status, json: { error: error.message } }
    throw error
  }
}

function listVouchers({ store }: Simulator): Answer {
  const nowMs = store.clock.now()
  return jsonArray(store.all, (voucher) => controlView(voucher, nowMs))
}

function listGuests({ store }: Simulator): Answer {
  const nowMs = store.clock.now()
  return jsonArray(store.guests, (guest) => guestView(guest, nowMs))
}

function moveClock({ store: { clock } }: Simulator, body: () => JsonObject): Answer {
  const { advanceSeconds = 0, frozen } = body()
  if (typeof advanceSeconds !== 'number') throw new ControlError(400, "'advanceSeconds' must be a number")
  if (frozen !== undefined && typeof frozen !== 'boolean') throw new ControlError(400, "'frozen' must be true or false")
  try {
    clock.advance(advanceSeconds)
  } catch {
    throw new ControlError(400, 'The clock cannot go that far')
  }
  if (frozen !== undefined) clock.freeze(frozen)
  return { status: 200, json: { now: new Date(clock.now()).toISOString() } }
}

function addFault({ faults }: Simulator, body: () => JsonObject): Answer {
  const fault = readFault(body())
  faults.add(fault)
  return { status: 201, json: { ...fault } }
}

function changeBehaviour(simulator: Simulator, body: () => JsonObject): Answer {
  const { changes, expireSessionsAfter } = readBehaviour(body())
  if (expireSessionsAfter !== undefined) simulator.sessions.closeAll(expireSessionsAfter)
  return applyBehaviour(simulator, changes)
}

function resetBehaviour(simulator: Simulator): Answer {
  simulator.sessions.closeAll(neverExpire)
  return applyBehaviour(simulator, defaultBehaviour)
}

function applyBehaviour({ behaviour, heldResponses }: Simulator, changes: object): Answer {
  Object.assign(behaviour, changes)
  if (!behaviour.hang) for (const response of heldResponses) response.destroy()
  return { status: 200, json: behaviour }
}
