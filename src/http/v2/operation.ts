import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TObject, TSchema } from 'typebox'
import type { Scope } from '#domain/keys/key.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import type { CreateContext } from '#domain/vouchers/create-voucher.ts'
import type { Searches } from '#domain/vouchers/searches.ts'

export type V2Context = CreateContext & { searches: Searches }

/** What a handler is given. */
export type OperationCall<P, Q, B> = {
  key: KeyAtWork
  params: P
  query: Q
  body: B
  idempotencyKey: string | undefined
  /** To be said when the answer was given before, to the same Idempotency-Key. */
  wasReplayed(): void
}

/** One operation of API v2 as one value: routes, checks and the OpenAPI document are all made from it. */
export type Operation = {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below `/api/v2`, as OpenAPI writes it: `/sites/{id}`. */
  path: string
  operationId: string
  summary: string
  scope: Scope
  params?: TObject
  query?: TObject
  body?: TObject
  /** The status of its success. */
  status: 200 | 201 | 202
  /** Takes an Idempotency-Key: a repeat with the same one gets the first one's answer. */
  creates?: true
  /** Headers of every failure, from the first check on, unless the failure says otherwise. */
  failsWith?: (headers: IncomingHttpHeaders) => Record<string, string>
  answer: TSchema
  /** When the answer is no JSON but a file: its name, by the id in the path. */
  csvFile?: (id: string) => string
  handle(ctx: V2Context, call: OperationCall<unknown, unknown, unknown>): Promise<unknown>
}

type Typed<P extends TObject, Q extends TObject, B extends TObject, A extends TSchema> = Omit<
  Operation,
  'params' | 'query' | 'body' | 'answer' | 'handle'
> & {
  params?: P
  query?: Q
  body?: B
  answer: A
  handle(ctx: V2Context, call: OperationCall<Static<P>, Static<Q>, Static<B>>): Promise<Static<A>>
}

/** Checks the handler against the schemas, then forgets their types. */
export function operation<P extends TObject, Q extends TObject, B extends TObject, A extends TSchema>(
  typed: Typed<P, Q, B, A>,
): Operation {
  return typed as Operation
}
