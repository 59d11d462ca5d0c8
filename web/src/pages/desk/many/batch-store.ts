import type { Batch, BatchCreation } from '../../../../../client/voucher-api.generated.ts'
import type { CallOptions } from '../../../../../client/voucher-client.ts'
import { type ApiError, randomKey, toApiError } from '../../../api.ts'
import { hasFields, storedValue } from '../../../stored-value.ts'

/** A request for a batch that was sent or will be sent. It is kept until its outcome is known. */
export type PendingBatch = {
  /** The Idempotency-Key. Every repeat has the same one, so there is one batch for each click. */
  key: string
  request: BatchCreation
  status:
    | { kind: 'sending' }
    /** The request may have arrived. It is sent again until its outcome is known. `reason`: why the service is unavailable. */
    | { kind: 'lost'; reason?: string }
    | { kind: 'limited'; until: number }
    /** The session ended. The request is sent again after the sign-in. */
    | { kind: 'signed-out' }
    | { kind: 'rejected'; message: string; requestId: string | null }
    | { kind: 'made'; batchId: string }
}

type Parts = {
  api: { createBatch(body: BatchCreation, options?: CallOptions): Promise<Batch> }
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  /** Separates the people of one browser: each has their own Idempotency-Keys. */
  personId: string
}

export type BatchStore = ReturnType<typeof createBatchStore>

const againMs = 3_000

/** Sends one batch at a time and repeats the request until its outcome is known, even after the page was loaded again. */
export function createBatchStore({ api, storage, personId }: Parts) {
  const storageKey = `vs.many.${personId}`
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const stored = storedValue({ storage, key: storageKey, version: 1, isValid: isPendingBatch })
  let pending = restore(stored.read())

  function apply(next: PendingBatch | null): void {
    pending = next
    stored.write(next)
    for (const listener of listeners) listener()
  }

  async function send(sent: PendingBatch): Promise<void> {
    clearTimeout(timer)
    apply({ ...sent, status: { kind: 'sending' } })
    try {
      const { id: batchId } = await api.createBatch(sent.request, { idempotencyKey: sent.key })
      apply({ ...sent, status: { kind: 'made', batchId } })
    } catch (thrown) {
      const status = statusAfter(toApiError(thrown), Date.now())
      apply({ ...sent, status })
      if (status.kind === 'lost') timer = setTimeout(send, againMs, sent)
      if (status.kind === 'limited') timer = setTimeout(send, status.until - Date.now(), sent)
    }
  }

  return {
    getState: () => pending,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Does nothing while the outcome of an earlier click is open. */
    submit(request: BatchCreation): void {
      const isOpen = pending !== null && pending.status.kind !== 'rejected' && pending.status.kind !== 'made'
      if (!isOpen) void send({ key: randomKey(), request, status: { kind: 'sending' } })
    },
    /** Forgets a request whose outcome is known. */
    settle(): void {
      if (pending?.status.kind === 'made' || pending?.status.kind === 'rejected') apply(null)
    },
    /** Continues after a reload or a sign-in. */
    resume(): void {
      if (pending?.status.kind === 'lost' || pending?.status.kind === 'signed-out') void send(pending)
      if (pending?.status.kind === 'limited') {
        clearTimeout(timer)
        timer = setTimeout(send, Math.max(0, pending.status.until - Date.now()), pending)
      }
    },
  }
}

/** Errors that a repeat of the same list would get again, today at least. */
const needsChange = ['daily_limit_reached', 'mail_not_set_up']

/** Only a rejection is certain to have created nothing. */
function statusAfter(error: ApiError, now: number): PendingBatch['status'] {
  const { status, message, request_id: requestId, retry_after: retryAfter, errors } = error
  if (needsChange.includes(error.error)) return { kind: 'rejected', message, requestId }
  if (status === 401) return { kind: 'signed-out' }
  if (status === 429) return { kind: 'limited', until: now + Math.max(1, retryAfter ?? 5) * 1000 }
  if (error.error === 'unavailable') return { kind: 'lost', reason: message }
  if (status < 400 || status >= 500 || status === 409 || error.error === 'unexpected_answer') return { kind: 'lost' }
  const fields = errors.map((one) => one.message).join(' ')
  return { kind: 'rejected', message: fields || message, requestId }
}

/** A request that was on its way when the page was left may have arrived or not. */
function restore(stored: PendingBatch | null): PendingBatch | null {
  return stored?.status.kind === 'sending' ? { ...stored, status: { kind: 'lost' } } : stored
}

/** The fields that each status needs. */
const statusFields: { [Kind in PendingBatch['status']['kind']]: Parameters<typeof hasFields>[1] } = {
  sending: {},
  lost: {},
  limited: { until: 'number' },
  'signed-out': {},
  rejected: {},
  made: { batchId: 'string' },
}

function isPendingBatch(value: unknown): value is PendingBatch {
  const { status } = (value ?? {}) as PendingBatch
  const hasParts = hasFields(value, { key: 'string', request: 'object', status: 'object' })
  return hasParts && status.kind in statusFields && hasFields(status, statusFields[status.kind])
}
