import type { Voucher, VoucherCreation } from '../../../../client/voucher-api.generated.ts'
import { hasFields } from '../../stored-value.ts'
import { type DeskInput, isDeskInput } from './desk-input.ts'
import { isOpen, isUndo, type Undo } from './undo.ts'

/** The reason why a creation made nothing, for people. */
export type Problem = { code: string; message: string; fields: string[]; requestId: string | null }

/**
 * `offline`: the service could not be reached. `unavailable`: it answered that it cannot tell at present. `refused`: it does not tell
 * this person any more, so the desk has stopped asking.
 */
type Trouble = 'offline' | 'unavailable' | 'refused'

export type Creation = {
  /** The Idempotency-Key: one for each guest. Repeats use the same one. */
  key: string
  request: VoucherCreation
  /** The text that was typed, to show it again. */
  input: DeskInput
  /** When the request was first sent, in milliseconds. */
  startedAt: number
  status:
    | { kind: 'sending' }
    /** The session ended. Nothing was made, and the request is sent again after the sign-in. */
    | { kind: 'signed-out' }
    | { kind: 'limited'; until: number }
    /**
     * `since` is when the request was answered or its connection ended. `trouble`: why the service could not tell the outcome.
     * `reason`: why there is no voucher, in case there is none.
     */
    | {
        kind: 'unknown'
        since: number
        wasLost: boolean
        trouble: Trouble | null
        requestId: string | null
        reason?: string
      }
    | { kind: 'none'; problem: Problem }
    | { kind: 'made'; voucher: Voucher }
}

export type Desk = {
  /** The creation in the panel; null while the person types for a new guest. */
  current: Creation | null
  /** Creations that the desk left before their outcome was known, newest first. They stay until somebody opens them. */
  aside: Creation[]
  /** Vouchers that somebody took back right after they were made, newest first. */
  undos: Undo[]
}

/** The facts of a failed request that decide what it means. */
export type Failure = {
  status: number
  error: string
  message: string
  fields: string[]
  requestId: string | null
  retryAfter: number | null
  outcome: 'none' | 'unknown' | null
}

export type DeskEvent =
  | { type: 'submit'; newKey: string; request: VoucherCreation; input: DeskInput; now: number }
  | { type: 'resend'; key: string }
  | { type: 'made'; key: string; voucher: Voucher }
  | { type: 'failed'; key: string; failure: Failure; now: number }
  | { type: 'asked'; key: string; outcome: 'running' | 'none'; now: number }
  | { type: 'not-asked'; key: string; trouble: Trouble }
  /** The next guest. An unsettled creation continues in the background. */
  | { type: 'next' }
  /** Shows a creation of the background in the panel. */
  | { type: 'open'; key: string }
  /** Takes back the voucher in the panel. */
  | { type: 'undo'; newKey: string; now: number }
  | { type: 'undo-changed'; key: string; status: Undo['status'] }
  | { type: 'undo-read'; key: string }

export const emptyDesk: Desk = { current: null, aside: [], undos: [] }

/**
 * After a lost connection, the answer "no such request" is final only after this time. Until then the request may still be
 * in a proxy, or in a process that has not recorded it yet.
 */
const lostRequestMs = 5_000

function isSettled({ status }: Creation): boolean {
  return status.kind === 'made' || status.kind === 'none'
}

/** The next state of the desk. It never starts a second request for a guest whose outcome is open. */
export function changeDesk(desk: Desk, event: DeskEvent): Desk {
  const { current, aside, undos } = desk
  switch (event.type) {
    case 'submit': {
      if (current && !isSettled(current)) return desk
      return {
        ...desk,
        current: startCreation(current, event),
        undos: undos.filter(({ status }) => status !== 'revoked'),
      }
    }
    case 'next':
      return { ...desk, current: null, aside: [...leave(current), ...aside] }
    case 'open': {
      const opened = aside.find(({ key }) => key === event.key)
      if (!opened) return desk
      return { ...desk, current: opened, aside: [...leave(current), ...aside.filter((one) => one !== opened)] }
    }
    case 'undo': {
      if (current?.status.kind !== 'made') return desk
      const { voucher } = current.status
      return {
        ...desk,
        current: null,
        undos: [{ key: event.newKey, voucher, startedAt: event.now, status: 'sending' }, ...undos],
      }
    }
    case 'undo-changed': {
      const { key, status } = event
      return { ...desk, undos: undos.map((one) => (one.key === key && isOpen(one) ? { ...one, status } : one)) }
    }
    case 'undo-read':
      return { ...desk, undos: undos.filter(({ key }) => key !== event.key) }
    default:
      return changeCreation(desk, event.key, (creation) => ({ ...creation, status: nextStatus(creation, event) }))
  }
}

/** Only an unsettled creation is kept. */
function leave(current: Creation | null): Creation[] {
  return current && !isSettled(current) ? [current] : []
}

/** A repeat of a request that made nothing has the same key. A request with other contents gets a new key. */
function startCreation(before: Creation | null, event: DeskEvent & { type: 'submit' }): Creation {
  const isRepeat = before?.status.kind === 'none' && JSON.stringify(before.request) === JSON.stringify(event.request)
  const { request, input } = event
  return {
    key: isRepeat ? before.key : event.newKey,
    request,
    input,
    startedAt: event.now,
    status: { kind: 'sending' },
  }
}

function changeCreation(desk: Desk, key: string, change: (creation: Creation) => Creation): Desk {
  const changeOne = (one: Creation) => (one.key === key ? change(one) : one)
  return { ...desk, current: desk.current && changeOne(desk.current), aside: desk.aside.map(changeOne) }
}

type CreationEvent = Extract<DeskEvent, { type: 'resend' | 'made' | 'failed' | 'asked' | 'not-asked' }>

function nextStatus({ status }: Creation, event: CreationEvent): Creation['status'] {
  if (status.kind === 'made') return status
  switch (event.type) {
    case 'resend':
      return { kind: 'sending' }
    case 'made':
      return { kind: 'made', voucher: event.voucher }
    case 'failed':
      return statusAfter(event.failure, event.now)
    case 'not-asked':
      return status.kind === 'unknown' ? { ...status, trouble: event.trouble } : status
    case 'asked': {
      if (status.kind !== 'unknown') return status
      const mayArrive = status.wasLost && event.now - status.since < lostRequestMs
      if (event.outcome === 'running' || mayArrive) return { ...status, trouble: null }
      return {
        kind: 'none',
        problem: { code: 'absent', message: status.reason ?? '', fields: [], requestId: status.requestId },
      }
    }
  }
}

/**
 * Nothing was made only if the answer says so. Otherwise the desk asks for the outcome. A rejected request made
 * nothing, even if its header says `unknown`. The header is about earlier requests with the same key, and the desk
 * never repeats a request whose outcome is open. Whether the browser calls itself offline decides nothing.
 */
function statusAfter(failure: Failure, now: number): Creation['status'] {
  const { status, error, message, fields, requestId, outcome } = failure
  if (status === 401) return { kind: 'signed-out' }
  // A limit that is reached for today is no reason to wait and send again.
  if (status === 429 && error !== 'daily_limit_reached')
    return { kind: 'limited', until: now + Math.max(1, failure.retryAfter ?? 5) * 1000 }
  const isRejected = status >= 400 && status < 500 && status !== 409 && error !== 'unexpected_answer'
  if (outcome === 'none' || isRejected) return { kind: 'none', problem: { code: error, message, fields, requestId } }
  // Only the message "the service is unavailable, or held" is kept: it is still true when the outcome is known.
  const reason = error === 'unavailable' ? message : ''
  const wasLost = status === 0 || error === 'unexpected_answer' // a proxy may answer while the request is still on its way
  return { kind: 'unknown', since: now, wasLost, trouble: null, requestId, reason }
}

/** A desk as the browser stores it. Release 0.1.0 stored no `undos`. */
export type StoredDesk = Omit<Desk, 'undos'> & Partial<Pick<Desk, 'undos'>>

/** Whether a stored value is a desk. */
export function isDesk(value: unknown): value is StoredDesk {
  const { current, aside, undos = [] } = value as StoredDesk
  return [...(current === null ? [] : [current]), ...aside].every(isCreation) && undos.every(isUndo)
}

/** The fields that each status needs. */
const statusFields: { [Kind in Creation['status']['kind']]: Parameters<typeof hasFields>[1] } = {
  sending: {},
  'signed-out': {},
  limited: { until: 'number' },
  unknown: { since: 'number' },
  none: { problem: 'object' },
  made: { voucher: 'object' },
}

function isCreation(value: unknown): boolean {
  const { request, input, status } = (value ?? {}) as Creation
  return (
    hasFields(value, { key: 'string', startedAt: 'number', status: 'object' }) &&
    hasFields(request, { site_id: 'number', name: 'string' }) &&
    isDeskInput(input) &&
    status.kind in statusFields &&
    hasFields(status, statusFields[status.kind])
  )
}

/** The desk after the page was loaded again. The desk asks for the outcome of a request that was on its way. */
export function restoreDesk(stored: StoredDesk, now: number): Desk {
  const restore = (creation: Creation): Creation =>
    creation.status.kind === 'sending'
      ? { ...creation, status: { kind: 'unknown', since: now, wasLost: true, trouble: null, requestId: null } }
      : creation
  return {
    current: stored.current && restore(stored.current),
    aside: stored.aside.map(restore),
    undos: stored.undos ?? [],
  }
}
