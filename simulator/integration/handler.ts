import type { Reply } from '../http/reply.ts'
import type { VoucherStore } from '../store/voucher-store.ts'

export type ApiRequest = {
  /** The variable parts of the path, in order. */
  params: string[]
  query: URLSearchParams
  contentType: string | undefined
  /** Undefined when the body is not JSON. */
  body: unknown
}

export type Handler = (store: VoucherStore, request: ApiRequest) => Reply
