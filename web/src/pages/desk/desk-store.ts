import type { Voucher, VoucherCreation, VoucherOutcome } from '../../../../client/voucher-api.generated.ts'
import type { CallOptions } from '../../../../client/voucher-client.ts'
import { type ApiError, randomKey, toApiError } from '../../api.ts'
import {
  type Creation,
  changeDesk,
  type Desk,
  type DeskEvent,
  emptyDesk,
  type Failure,
  restoreDesk,
} from './creation.ts'
import type { DeskInput } from './form/desk-input.ts'

type DeskApi = {
  createVoucher(body: VoucherCreation, options?: CallOptions): Promise<Voucher>
  getVoucherOutcome(idempotencyKey: string, options?: CallOptions): Promise<VoucherOutcome>
}

type Parts = {
  api: DeskApi
  storage: Pick<Storage, 'getItem' | 'setItem'>
  /** Separates the people of one browser: the service does not find the creations of another person. */
  personId: string
  isOnline: () => boolean
}

export type DeskStore = ReturnType<typeof createDeskStore>

/** The service gives up before this time, so even a late answer arrives. */
const timeoutMs = 60_000

/**
 * Sends creations and finds out their outcome, whatever the page shows meanwhile. Every change is stored before a request is
 * sent, so a reload continues with the same Idempotency-Keys.
 */
export function createDeskStore({ api, storage, personId, isOnline }: Parts) {
  const storageKey = `vs.desk.${personId}`
  const inputKey = (siteId: number) => `${storageKey}.input.${siteId}`
  const listeners = new Set<() => void>()
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  let desk = restoreDesk({ ...emptyDesk, ...readJson<Desk>(storage.getItem(storageKey)) }, Date.now())

  function apply(event: DeskEvent): void {
    desk = changeDesk(desk, event)
    storage.setItem(storageKey, JSON.stringify(desk))
    for (const listener of listeners) listener()
  }

  const find = (key: string) => [desk.current, ...desk.aside].find((one) => one?.key === key) ?? undefined

  async function send({ key, request }: Creation): Promise<void> {
    const startedOnline = isOnline()
    try {
      const voucher = await api.createVoucher(request, { idempotencyKey: key, timeoutMs })
      apply({ type: 'made', key, voucher })
    } catch (thrown) {
      const wasOffline = !startedOnline && !isOnline()
      apply({ type: 'failed', key, failure: failureOf(toApiError(thrown), wasOffline), now: Date.now() })
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
    try {
      const { outcome, voucher } = await api.getVoucherOutcome(key)
      if (outcome === 'made' && voucher) apply({ type: 'made', key, voucher })
      else apply({ type: 'asked', key, outcome: outcome === 'none' ? 'none' : 'running', now: Date.now() })
    } catch (thrown) {
      const { status } = toApiError(thrown)
      if (status === 401) return // `resume` continues after the sign-in
      apply({ type: 'not-asked', key, trouble: status === 0 ? 'offline' : 'unavailable' })
    }
    schedule(key)
  }

  return {
    getState: () => desk,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Does nothing while the outcome for the current guest is open, so a double click sends one request. */
    submit(request: VoucherCreation, input: DeskInput): void {
      const before = desk.current
      apply({ type: 'submit', newKey: randomKey(), request, input, now: Date.now() })
      if (desk.current && desk.current !== before) void send(desk.current)
    },
    /** Stores what was typed for a site but not sent, so that a reload keeps it; undefined deletes it. */
    keepInput(siteId: number, input: DeskInput | undefined): void {
      storage.setItem(inputKey(siteId), JSON.stringify(input ?? null))
    },
    keptInput: (siteId: number): DeskInput | undefined => readJson(storage.getItem(inputKey(siteId))) ?? undefined,
    next: () => apply({ type: 'next' }),
    open: (key: string) => apply({ type: 'open', key }),
    /** Continues with everything that waits, after a reload or a sign-in. */
    resume(): void {
      for (const creation of [desk.current, ...desk.aside]) {
        if (creation?.status.kind === 'signed-out') resend(creation.key)
        else if (creation) schedule(creation.key)
      }
    },
  }
}

/** Quick at first, because most outcomes are known within seconds. */
function pauseMs(waitedMs: number): number {
  if (waitedMs < 10_000) return 1_000
  return waitedMs < 60_000 ? 2_000 : 5_000
}

function failureOf(error: ApiError, wasOffline: boolean): Failure {
  return {
    status: error.status,
    error: error.error,
    message: error.message,
    fields: error.errors.map(({ message }) => message),
    requestId: error.request_id,
    retryAfter: error.retry_after,
    outcome: error.voucher_outcome,
    wasOffline: wasOffline && error.status === 0,
  }
}

/** Null if there is no text, or if it cannot be read. */
function readJson<Value>(text: string | null): Value | null {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
