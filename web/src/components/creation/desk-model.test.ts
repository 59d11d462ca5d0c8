import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Revocation, Voucher, VoucherCreation, VoucherOutcome } from '../../../../client/voucher-api.generated.ts'
import { ApiError } from '../../api.ts'
import type { Creation } from './creation.ts'
import { limitsOf } from './desk-input.ts'
import { createDeskStore, type DeskStore } from './desk-store.ts'

/*
 * Runs random sequences of steps at the desk against a model of the service with Idempotency-Keys. A guest never gets two
 * vouchers, and each press ends as a voucher that was shown, as a certain failure, or as "finding out". The desk calls a code revoked
 * only if it is, and revokes only what somebody took back.
 */

/**
 * The fate of a request to create a voucher. `late`: the connection breaks, and the request arrives seconds later. `proxied`: the
 * same, but a proxy answers. `settled-*`: the service answers that it does not know, and knows some seconds later.
 */
const fates = [
  'answered',
  'slow',
  'lost before',
  'lost after',
  'late',
  'proxied',
  'limited',
  'none',
  'settled-made',
  'settled-none',
] as const
const lookups = ['answered', 'slow', 'lost', 'unavailable'] as const
const acts = [
  'press',
  'press',
  'press',
  'next',
  'open',
  'undo',
  'undo',
  'reload',
  'duplicate',
  'end session',
  'sign in',
  'sign out',
  'somebody else',
  'wait',
  'wait',
  'wait',
] as const

const mostTabs = 4

const step = record({
  act: constantFrom(...acts),
  tab: integer({ min: 0, max: mostTabs - 1 }),
  fate: constantFrom(...fates),
  lookup: constantFrom(...lookups),
  ms: integer({ min: 0, max: 9_000 }),
})
type Step = { act: (typeof acts)[number]; tab: number; fate: Fate; lookup: (typeof lookups)[number]; ms: number }
type Fate = (typeof fates)[number]

/** A request can be on its way for this long after its connection broke. */
const longestWayMs = 4_900

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const failure = (status: number, error: string, more: object = {}) =>
  new ApiError(error, error, { status, ...more } as never)
const noAnswer = () => failure(0, 'no_answer')

/** The service: vouchers by person and key. */
function createService() {
  const made = new Map<string, Voucher>()
  const running = new Set<string>()
  /** By voucher: the revocations, by their key. */
  const revocations = new Map<string, Map<string, 'running' | 'done'>>()
  let sessions = 0
  const service = {
    made,
    revocations,
    session: { id: 0, person: 'anna' },
    liveSession: 0,
    fate: 'answered' as Fate,
    lookup: 'answered' as Step['lookup'],
    signIn(person: string) {
      sessions += 1
      service.session = { id: sessions, person }
      service.liveSession = sessions
    },
    create(id: string, request: VoucherCreation): Voucher {
      const voucher = made.get(id) ?? ({ id: `1-${made.size}`, name: request.name } as Voucher)
      made.set(id, voucher)
      return voucher
    },
    async createVoucher(request: VoucherCreation, key: string, ms: number): Promise<Voucher> {
      const { fate, session } = service
      const id = `${session.person} ${key}`
      const create = () => service.create(id, request)
      const wayMs = Math.min(ms, longestWayMs)
      if (fate === 'lost before') throw noAnswer()
      if (fate === 'late' || fate === 'proxied') {
        setTimeout(() => session.id === service.liveSession && create(), wayMs)
        throw fate === 'late' ? noAnswer() : failure(502, 'unexpected_answer')
      }
      if (session.id !== service.liveSession) throw failure(401, 'session_ended')
      if (fate === 'limited') throw failure(429, 'rate_limited', { retry_after: 3 })
      if (running.has(id)) throw failure(409, 'in_progress', { voucher_outcome: 'unknown' })
      if (made.has(id)) return create()
      if (fate === 'none') throw failure(503, 'controller_unreachable', { voucher_outcome: 'none' })
      if (fate === 'settled-made' || fate === 'settled-none') {
        running.add(id)
        setTimeout(() => {
          running.delete(id)
          if (fate === 'settled-made') create()
        }, ms)
        throw failure(504, 'outcome_unknown', { voucher_outcome: 'unknown' })
      }
      const voucher = create()
      if (fate === 'lost after') throw noAnswer()
      if (fate === 'slow') await pause(ms)
      return voucher
    },
    async getVoucherOutcome(key: string, ms: number): Promise<VoucherOutcome> {
      const { lookup, session } = service
      const id = `${session.person} ${key}`
      if (lookup === 'lost') throw noAnswer()
      if (session.id !== service.liveSession) throw failure(401, 'session_ended')
      if (lookup === 'unavailable') throw failure(503, 'unavailable')
      const voucher = made.get(id) ?? null
      const outcome = voucher ? 'made' : running.has(id) ? 'running' : 'none'
      if (lookup === 'slow') await pause(ms)
      return { outcome, voucher } as VoucherOutcome
    },
    /** The controller deletes the voucher some time after the request. */
    async revokeVouchers(id: string, key: string, ms: number): Promise<Revocation> {
      const { fate, session } = service
      if (fate === 'lost before') throw noAnswer()
      if (session.id !== service.liveSession) throw failure(401, 'session_ended')
      if (fate === 'limited') throw failure(429, 'rate_limited', { retry_after: 3 })
      if (fate === 'none') throw failure(503, 'unavailable')
      const ofVoucher = revocations.get(id) ?? new Map<string, 'running' | 'done'>()
      revocations.set(id, ofVoucher)
      if (!ofVoucher.has(key)) {
        ofVoucher.set(key, 'running')
        setTimeout(() => ofVoucher.set(key, 'done'), ms)
      }
      if (fate === 'lost after' || fate === 'late') throw noAnswer()
      if (fate === 'proxied') throw failure(502, 'unexpected_answer')
      if (fate === 'slow') await pause(ms)
      return { id: 'r', state: ofVoucher.get(key), failed: 0, kept: 0 } as Revocation
    },
  }
  return service
}

/** A page that is open in a tab. After a reload, its timers and answers are without effect. */
type Page = { store: DeskStore; person: string; isOpen: boolean; hasEnded: boolean }

function createBrowser() {
  const service = createService()
  service.signIn('anna')
  const tabs = [new Map<string, string>(), new Map<string, string>()]
  const pages: (Page | undefined)[] = []
  /** By guest and tab: the last status that the desk showed. */
  const seen = new Map<string, Map<number, Creation['status']>>()
  /** Guests whose voucher was shown. */
  const shown = new Set<string>()
  /** Ids of vouchers that somebody took back. */
  const takenBack = new Set<string>()
  let guests = 0
  let ms = 0

  function note(tab: number, page: Page): void {
    const { current, aside } = page.store.getState()
    for (const creation of [...(current ? [current] : []), ...aside]) {
      const guest = creation.request.name as string
      seen.set(guest, (seen.get(guest) ?? new Map()).set(tab, creation.status))
      if (creation.status.kind === 'made') shown.add(guest)
    }
  }

  function load(tab: number): void {
    const { person } = service.session
    const stored = tabs[tab] as Map<string, string>
    const whileOpen = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
      if (!page.isOpen) return new Promise(() => {})
      try {
        const answer = await call()
        return page.isOpen ? answer : new Promise(() => {})
      } catch (error) {
        if (!page.isOpen) return new Promise(() => {})
        if ((error as ApiError).status === 401) page.hasEnded = true
        throw error
      }
    }
    const store = createDeskStore({
      api: {
        createVoucher: (request, options) =>
          whileOpen(() => service.createVoucher(request, options?.idempotencyKey as string, ms)),
        getVoucherOutcome: (key) => whileOpen(() => service.getVoucherOutcome(key, ms)),
        revokeVouchers: ({ voucher_ids: ids }, options) =>
          whileOpen(() => service.revokeVouchers(ids?.[0] as string, options?.idempotencyKey as string, ms)),
      },
      storage: {
        getItem: (key) => stored.get(key) ?? null,
        setItem: (key, text) => void stored.set(key, text),
        removeItem: (key) => void stored.delete(key),
      },
      personId: person,
    })
    const page: Page = { store, person, isOpen: true, hasEnded: false }
    pages[tab] = page
    store.subscribe(() => note(tab, page))
    note(tab, page)
    store.resume()
  }

  function close(tab: number): void {
    const page = pages[tab]
    if (page) page.isOpen = false
    pages[tab] = undefined
  }

  /** Signs in. Pages of the same person continue, those of somebody else are loaded again. */
  function signIn(person: string): void {
    service.signIn(person)
    for (const tab of tabs.keys()) {
      const page = pages[tab]
      if (page?.person !== person) {
        close(tab)
        load(tab)
      } else if (page.hasEnded) {
        page.hasEnded = false
        page.store.resume()
      }
    }
  }

  const isSettled = (creation: Creation | null) => creation?.status.kind === 'made' || creation?.status.kind === 'none'

  /** A press while an outcome is open does nothing: the form is locked. After a failure it repeats the same guest. */
  function press(page: Page): void {
    const { current } = page.store.getState()
    if (current && !isSettled(current)) return
    const isRepeat = current?.status.kind === 'none' && ms % 2 === 0
    if (!isRepeat) guests += 1
    const name = isRepeat ? (current.request.name as string) : `Guest ${guests}`
    page.store.submit({ site_id: 1, name }, { name, choice: 't', limits: limitsOf(undefined, 'UTC') })
    expect(seen.has(name), `the press for ${name} is visible`).toBe(true)
  }

  /** Two presses, as a nervous person does it. */
  function undo(page: Page): void {
    const status = page.store.getState().current?.status
    if (status?.kind === 'made') takenBack.add(status.voucher.id)
    page.store.undo()
    page.store.undo()
  }

  async function run({ act, tab: chosen, fate, lookup, ms: length }: Step): Promise<void> {
    ms = length
    Object.assign(service, { fate, lookup })
    const tab = chosen % tabs.length
    const page = pages[tab]
    const isSignedIn = service.session.id === service.liveSession
    if (act === 'press' && page && !page.hasEnded) press(page)
    if (act === 'next' && page) page.store.next()
    if (act === 'open' && page) page.store.open(page.store.getState().aside[0]?.key ?? '')
    if (act === 'undo' && page && !page.hasEnded) undo(page)
    if (act === 'reload' && page && isSignedIn) {
      close(tab)
      load(tab)
    }
    if (act === 'duplicate' && page && isSignedIn && tabs.length < mostTabs) load(tabs.push(new Map(tabs[tab])) - 1)
    if (act === 'end session') service.liveSession = -1
    if (act === 'sign in') signIn(service.session.person)
    if (act === 'somebody else') signIn(service.session.person === 'anna' ? 'ben' : 'anna')
    if (act === 'sign out') {
      service.liveSession = -1
      for (const each of tabs.keys()) close(each)
    }
    await vi.advanceTimersByTimeAsync(act === 'wait' ? length : 0)
  }

  const vouchersOf = (guest: string) => [...service.made.values()].filter(({ name }) => name === guest)

  function expectNoDoubt(): void {
    for (const [guest, statuses] of seen) {
      expect(vouchersOf(guest).length, `vouchers of ${guest}`).toBeLessThanOrEqual(1)
      const saysNone = [...statuses.values()].every(({ kind }) => kind === 'none')
      if (saysNone) expect(vouchersOf(guest), `the desk says that ${guest} has no voucher`).toEqual([])
    }
    for (const { voucher, status } of pages.flatMap((page) => page?.store.getState().undos ?? [])) {
      const states = [...(service.revocations.get(voucher.id)?.values() ?? [])]
      if (status === 'revoked') expect(states, `the desk says that ${voucher.name} is revoked`).toContain('done')
    }
    for (const id of service.revocations.keys()) expect(takenBack.has(id), `somebody took back ${id}`).toBe(true)
  }

  /** The network is well again, and both people come back to both tabs. */
  async function settle(): Promise<void> {
    Object.assign(service, { fate: 'answered', lookup: 'answered' })
    for (const person of ['anna', 'ben', 'anna', 'ben']) {
      signIn(person)
      await vi.advanceTimersByTimeAsync(30_000)
    }
    for (const [guest, statuses] of seen) {
      for (const { kind } of statuses.values()) expect(['made', 'none'], `the end for ${guest}`).toContain(kind)
      expect(vouchersOf(guest).length > 0, `a voucher of ${guest} was shown`).toBe(shown.has(guest))
    }
    for (const id of takenBack) {
      expect([...(service.revocations.get(id)?.values() ?? [])], `the revocations of ${id}`).toContain('done')
    }
  }

  load(0)
  load(1)
  return { run, expectNoDoubt, settle }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('whatever happens at the desk, each press ends as one voucher or as a certain failure', async () => {
  await assert(
    asyncProperty(array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      vi.clearAllTimers()
      const browser = createBrowser()
      for (const one of steps) {
        await browser.run(one)
        browser.expectNoDoubt()
      }
      await browser.settle()
      browser.expectNoDoubt()
    }),
    { numRuns: 300, seed: 20_261_118 },
  )
})
