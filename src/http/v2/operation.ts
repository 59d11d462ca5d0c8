import type { Static, TObject, TSchema } from 'typebox'
import type { Queryable } from '#db/database.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'

export type V2Context = { db: Queryable }

/** One operation of API v2 as one value: routes, checks and the OpenAPI document are all made from it. */
export type Operation = {
  method: 'GET'
  /** Below `/api/v2`, as OpenAPI writes it: `/sites/{id}`. */
  path: string
  operationId: string
  summary: string
  params?: TObject
  query?: TObject
  answer: TSchema
  handle(ctx: V2Context, call: { key: KeyAtWork; params: unknown; query: unknown }): Promise<unknown>
}

type Typed<P extends TObject, Q extends TObject, A extends TSchema> = Omit<
  Operation,
  'params' | 'query' | 'answer' | 'handle'
> & {
  params?: P
  query?: Q
  answer: A
  handle(ctx: V2Context, call: { key: KeyAtWork; params: Static<P>; query: Static<Q> }): Promise<Static<A>>
}

/** Checks the handler against the schemas, then forgets their types. */
export function operation<P extends TObject, Q extends TObject, A extends TSchema>(typed: Typed<P, Q, A>): Operation {
  return typed as Operation
}
