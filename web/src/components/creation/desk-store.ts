import type {
  Revocation,
  RevocationRequest,
  Voucher,
  VoucherCreation,
  VoucherOutcome,
} from '../../../../client/voucher-api.generated.ts'
import type { CallOptions } from '../../../../client/voucher-client.ts'
import { type ApiError, randomKey, toApiError } from '../../api.ts'
import { storedValue } from '../../stored-value.ts'
import { type Creation, changeDesk, type DeskEvent, emptyDesk, type Failure, isDesk, restoreDesk } from './creation.ts'
import { type DeskInput, isDeskInput } from './desk-input.ts'
import { isOpen, statusAfterFailure, statusOfRevocation } from './undo.ts'

type DeskApi = {
  createVoucher(body: VoucherCreation, options?: CallOptions): Promise<Voucher>
  getVoucherOutcome(idempotencyKey: string, options?: CallOptions): Promise<VoucherOutcome>
  revokeVouchers(body: RevocationRequest, options?: CallOptions): Promise<Revocation>
}

type Parts = {
  api: DeskApi
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  /** Separates the people of one browser: the service does not find the creations of another person. */
  personId: string
}

export type DeskStore = ReturnType<typeof createDeskStore>

/** The service gives up before this time, so even a late answer arrives. */
const timeoutMs = 60_000

/**
 * Sends creations and finds out their outcome, whatever the page shows meanwhile. Every change is stored before a request is
 * sent, so a reload continues with the same Idempotency-Keys.
 */
export function createDeskStore({ api, storage, personId }: Parts) {
  const storageKey = `vs.desk.${personId}`
  const stored = storedValue({ storage, key: storageKey, version: 1, isValid: isDesk })
  const storedInput = (siteId: number) =>
    storedValue({ storage, key: `${storageKey}.input.${siteId}`, version: 1, isValid: isDeskInput })
  const listeners = new Set<() => void>()
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  let typed: { siteId: number; input: DeskInput } | undefined
  let desk = restoreDesk(stored.read() ?? emptyDesk, Date.now())

  const isTypedElsewhere = (siteId: number) => typed !== undefined && typed.siteId !== siteId && typed.input.name !== ''

  function apply(event: DeskEvent): void {
    desk = changeDesk(desk, event)
    stored.write(desk)
    for (const listener of listeners) listener()
  }

  const find = (key: string) => [desk.current, ...desk.aside].find((one) => one?.key === key) ?? undefined

  async function send({ key, request }: Creation): Promise<void> {
    try {
      const voucher = await api.createVoucher(request, { idempotencyKey: key, timeoutMs })
      apply({ type: 'made', key, voucher })
    } catch (thrown) {
      apply({ type: 'failed', key, failure: failureOf(toApiError(thrown)), now: Date.now() })
      schedule(key)
    }
  }

  /** Plans the next step of a creation that is not settled. */
  function schedule(key: string): void {
    const status = find(key)?.status
    clearTimeout(timers.get(key))
    if (status?.kind === 'limited') timers.set(key, setTimeout(resend, Math.max(0, status.until - Date.now()), key))
    if (status?.kind === 'unknown') timers.set(key, setTimeout(ask, pauseMs(Date.now() - status.since), key))
  }

  function resend(key: string): void {
    apply({ type: 'resend', key })
    const creation = find(key)
    if (creation) void send(creation)
  }

  async function ask(key: string): Promise<void> {
    const askedAt = Date.now() // the answer is about this moment, however late it arrives
    try {
      const { outcome, voucher } = await api.getVoucherOutcome(key)
      if (outcome === 'made' && voucher) apply({ type: 'made', key, voucher })
      else apply({ type: 'asked', key, outcome: outcome === 'none' ? 'none' : 'running', now: askedAt })
    } catch (thrown) {
      const { status } = toApiError(thrown)
      if (status === 401) return // `resume` continues after the sign-in
      const isRefused = status === 403 || status === 404
      apply({ type: 'not-asked', key, trouble: isRefused ? 'refused' : status === 0 ? 'offline' : 'unavailable' })
      if (isRefused) return // `resume` asks again after a reload or a sign-in
    }
    schedule(key)
  }

  /** Revokes a voucher. A repeat with the same key returns the revocation as it is now, so repeats also follow its progress. */
  async function revoke(key: string): Promise<void> {
    const undo = desk.undos.find((one) => one.key === key)
    if (!undo || !isOpen(undo)) return
    let pause = undoPauseMs(Date.now() - undo.startedAt)
    try {
      const revocation = await api.revokeVouchers({ voucher_ids: [undo.voucher.id] }, { idempotencyKey: key })
      apply({ type: 'undo-changed', key, status: statusOfRevocation(revocation) })
    } catch (thrown) {
      const error = toApiError(thrown)
      apply({ type: 'undo-changed', key, status: statusAfterFailure(error, undo.status) })
      if (error.status === 401) return // `resume` continues after the sign-in
      pause = Math.max(pause, (error.retry_after ?? 0) * 1000)
    }
    clearTimeout(timers.get(key))
    timers.set(key, setTimeout(revoke, pause, key))
  }

  return {
    getState: () => desk,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /**
     * Does nothing while the outcome for the current guest is open, so a double click sends one request. `newKey` is for a voucher
     * that two tabs must not create twice.
     */
    submit(request: VoucherCreation, input: DeskInput, newKey = randomKey()): void {
      const before = desk.current
      apply({ type: 'submit', newKey, request, input, now: Date.now() })
      if (desk.current && desk.current !== before) void send(desk.current)
    },
    /** Stores what was typed for a site but not sent, so that a reload keeps it; undefined deletes it. */
    keepInput(siteId: number, input: DeskInput | undefined): void {
      if (isTypedElsewhere(siteId)) storedInput(typed?.siteId ?? siteId).write(null)
      typed = input && { siteId, input }
      storedInput(siteId).write(input ?? null)
    },
    /** The input that was not sent yet. A name that was typed for another site moves to this one, so it is never sent for both. */
    keptInput(siteId: number): DeskInput | undefined {
      return (isTypedElsewhere(siteId) ? typed?.input : storedInput(siteId).read()) ?? undefined
    },
    /** Revokes the voucher in the panel. Does nothing without one, so a second press starts no second revocation. */
    undo(): void {
      const key = randomKey()
      apply({ type: 'undo', newKey: key, now: Date.now() })
      void revoke(key)
    },
    /** Removes the message about an undo. */
    readUndo: (key: string) => apply({ type: 'undo-read', key }),
    next: () => apply({ type: 'next' }),
    open: (key: string) => apply({ type: 'open', key }),
    /** Continues with everything that waits, after a reload or a sign-in. */
    resume(): void {
      for (const creation of [desk.current, ...desk.aside]) {
        if (creation?.status.kind === 'signed-out') resend(creation.key)
        else if (creation) schedule(creation.key)
      }
      for (const { key } of desk.undos) void revoke(key)
    },
  }
}

/** Quick at first, because most outcomes are known within seconds. */
function pauseMs(waitedMs: number): number {
  return waitedMs < 10_000 ? 1_000 : 2_000
}

/** Quick at first. A controller that is out of reach may stay so for hours. */
function undoPauseMs(waitedMs: number): number {
  return Math.min(30_000, Math.max(1_000, waitedMs / 5))
}

function failureOf(error: ApiError): Failure {
  return {
    status: error.status,
    error: error.error,
    message: error.message,
    fields: error.errors.map(({ message }) => message),
    requestId: error.request_id,
    retryAfter: error.retry_after,
    outcome: error.voucher_outcome,
  }
}
