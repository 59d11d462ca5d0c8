import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { Queryable } from '#db/database.ts'
import type { Requester, Role } from '#domain/actor.ts'
import type { DriverForms } from '#domain/controllers/add-controller.ts'
import type { CostlyReads } from '#domain/costly-reads.ts'
import type { CreateVoucherContext } from '#domain/creating/create-voucher.ts'
import type { Receivers } from '#domain/deliveries/receivers.ts'
import type { Scope } from '#domain/keys/key.ts'
import type { SignInContext } from '#domain/people/attempts.ts'
import type { FindLiveSession } from '#domain/people/sign-in.ts'
import type { FixedSettings } from '#domain/settings/house.ts'
import type { Provider } from '#domain/single-sign-on/provider.ts'
import type { SyncContext } from '#domain/syncing/sync-site.ts'
import type { ReceiverAddresses } from '#domain/webhooks/receiver-url.ts'
import type { Drawing } from '#drawing/drawing-process.ts'
import type { Keyring } from '#lib/cipher.ts'
import type { MailAddressPolicy } from '#mail/mail-address-policy.ts'
import type { Language } from '../../server/preferred-language.ts'
import type { RenderedLists } from '../../server/rendered-lists.ts'
import type { BrowserSession } from '../../session/browser-session.ts'
import type { Upload } from './files/upload.ts'

export type V2Context = CreateVoucherContext &
  SyncContext &
  SignInContext & {
    findLiveSession: FindLiveSession
    searches: CostlyReads
    exports: CostlyReads
    overviews: CostlyReads
    requestDb: Queryable
    renderedLists: RenderedLists
    keyring: Keyring
    /** The letter of this cell, for new keys. */
    cell: string | undefined
    fixedSettings: FixedSettings
    /** The origin at which people open the web app, if PUBLIC_URL sets it. */
    publicUrl: string | undefined
    drivers: DriverForms
    receiverAddresses: ReceiverAddresses
    receivers: Receivers
    mailAddressPolicy: MailAddressPolicy
    drawing: Drawing
    /** The provider at which people sign in; undefined if none is configured. */
    provider: Provider | undefined
  }

/** A site and the version of its cached list, which changes with its vouchers and the names of their makers. Read for this request. */
export type NamedSite = { id: number; version: string }

/** The arguments of a handler. */
export type OperationCall<P, Q, B> = {
  actor: Requester
  /** The time by the clock of the database. */
  now: Date
  /** The language that the client prefers. */
  language: Language
  params: P
  query: Q
  /** The site that the query names, if the caller is a key that may use it and its vouchers have a version. */
  namedSite: NamedSite | undefined
  body: B
  browser: BrowserSession
  /** The session of the person; undefined for a key. */
  sessionId: string | undefined
  idempotencyKey: string | undefined
  /** A signal that aborts when the answer was sent or the client has disconnected. */
  untilClosed(): AbortSignal
  /** Tells the client that its Idempotency-Key was used before and that the answer repeats the first one. */
  markReplayed(): void
}

/** An operation of API v2. Routes, checks and the OpenAPI document are made from it. */
export type Operation = {
  /** HEAD works wherever GET does. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below `/api/v2` in the notation of OpenAPI: `/sites/{id}`. */
  path: string
  operationId: string
  summary: string
  /** The scope that a key needs. Without it, no key may call the operation. */
  scope?: Scope
  /** The role that a person needs. Without it, no person may call the operation. */
  role?: Role
  /** A person must have proved who they are in the last 15 minutes. */
  recentSignIn?: true
  /** A person who must set up a second factor may call the operation before it. */
  withoutFactor?: true
  /** Anybody may call the operation, without a key or a session. */
  isPublic?: true
  params?: TObject
  query?: TObject
  body?: TObject
  /** The largest size of the body in KiB, if it is not 64. */
  maxBodyKiB?: number
  /** The body is a file instead of JSON. The handler gets its bytes. */
  upload?: Upload
  /** The status of a successful answer. A 204 has no body: its `answer` is `Type.Void()`. */
  status: 200 | 201 | 202 | 204
  /** Accepts an Idempotency-Key: a repeat with the same key gets the first answer again. */
  acceptsIdempotencyKey?: true
  /** Requires the Idempotency-Key of an earlier request, which the operation asks about. */
  asksAboutIdempotencyKey?: true
  /** When the answer is 409, besides a repeat that comes too early. */
  conflict?: string
  /** When the answer is 429, besides the rate limit. */
  tooMany?: string
  /** Headers of every failure from the first check on. A failure may replace them. */
  failureHeaders?: (headers: IncomingHttpHeaders) => Record<string, string>
  answer: TSchema
  /** The file name of an answer that is CSV instead of JSON. */
  csvFileName?(params: unknown): string
  /** Returns the answer, its JSON as bytes, or a CSV file as a stream. */
  handle(ctx: V2Context, call: OperationCall<unknown, unknown, unknown>): Promise<unknown>
}

type Typed<P extends TObject, Q extends TObject, B extends TObject, A extends TSchema> = Omit<
  Operation,
  'params' | 'query' | 'body' | 'answer' | 'csvFileName' | 'handle'
> & {
  params?: P
  query?: Q
  body?: B
  answer: A
  csvFileName?(params: Static<P>): string
  handle(ctx: V2Context, call: OperationCall<Static<P>, Static<Q>, Static<B>>): Promise<Static<A> | Buffer | Readable>
}

/** Checks the types of a handler against its schemas. The result has one type for all operations. */
export function operation<P extends TObject, Q extends TObject, B extends TObject, A extends TSchema>(
  typed: Typed<P, Q, B, A>,
): Operation {
  return typed as Operation
}

type PublicCall<P, Q, B> = Omit<OperationCall<P, Q, B>, 'actor' | 'sessionId' | 'namedSite'>

type TypedPublic<B extends TObject, A extends TSchema> = Omit<
  Operation,
  'params' | 'query' | 'body' | 'answer' | 'handle' | 'scope' | 'role' | 'isPublic'
> & {
  body?: B
  answer: A
  handle(ctx: V2Context, call: PublicCall<unknown, unknown, Static<B>>): Promise<Static<A>>
}

/** An operation that anybody may call, such as signing in. Its handler gets no actor. */
export function publicOperation<B extends TObject, A extends TSchema>(typed: TypedPublic<B, A>): Operation {
  return { ...typed, isPublic: true } as Operation
}
