import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'

export type ApiRequest = {
  /** The variable parts of the path, in order. */
  params: string[]
  query: URLSearchParams
  contentType: string | undefined
  /** Undefined when the body is not JSON. */
  body: unknown
}

export type Handler = (simulator: Simulator, request: ApiRequest) => Reply
