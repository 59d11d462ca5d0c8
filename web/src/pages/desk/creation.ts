import type { Voucher, VoucherCreation } from '../../../../client/voucher-api.generated.ts'
import type { DeskInput } from './form/desk-input.ts'

/** The reason why a creation made nothing, for people. */
export type Problem = { code: string; message: string; fields: string[]; requestId: string | null }

/** `offline`: the service could not be reached. `unavailable`: it answered that it cannot tell at present. */
type Trouble = 'offline' | 'unavailable'

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
  /** The browser had no network at all, so the request never left it. */
  wasOffline: boolean
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

export const emptyDesk: Desk = { current: null, aside: [] }

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
  const { current, aside } = desk
  switch (event.type) {
    case 'submit':
      return current && !isSettled(current) ? desk : { ...desk, current: startCreation(current, event) }
    case 'next':
      return { current: null, aside: [...leave(current), ...aside] }
    case 'open': {
      const opened = aside.find(({ key }) => key === event.key)
      if (!opened) return desk
      return { current: opened, aside: [...leave(current), ...aside.filter((one) => one !== opened)] }
    }
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
  return { current: desk.current && changeOne(desk.current), aside: desk.aside.map(changeOne) }
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
 * never repeats a request whose outcome is open.
 */
function statusAfter(failure: Failure, now: number): Creation['status'] {
  const { status, error, message, fields, requestId, outcome } = failure
  if (status === 401) return { kind: 'signed-out' }
  if (status === 429) return { kind: 'limited', until: now + Math.max(1, failure.retryAfter ?? 5) * 1000 }
  const isRejected = status >= 400 && status < 500 && status !== 409 && error !== 'unexpected_answer'
  if (outcome === 'none' || isRejected) return { kind: 'none', problem: { code: error, message, fields, requestId } }
  if (failure.wasOffline) return { kind: 'none', problem: { code: 'offline', message: '', fields: [], requestId } }
  // Only the message "the service is unavailable, or held" is kept: it is still true when the outcome is known.
  const reason = error === 'unavailable' ? message : ''
  return { kind: 'unknown', since: now, wasLost: status === 0, trouble: null, requestId, reason }
}

/** The desk after the page was loaded again. The desk asks for the outcome of a request that was on its way. */
export function restoreDesk(stored: Desk, now: number): Desk {
  const restore = (creation: Creation): Creation =>
    creation.status.kind === 'sending'
      ? { ...creation, status: { kind: 'unknown', since: now, wasLost: true, trouble: null, requestId: null } }
      : creation
  return { current: stored.current && restore(stored.current), aside: stored.aside.map(restore) }
}
