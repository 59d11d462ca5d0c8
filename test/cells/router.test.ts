import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { range, withClients } from '#test/load.ts'
import { isLong, percentile, report, size } from '#test/measuring.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { host, hostOfCell, startRouter } from '../proxies/start-proxy.ts'
import { bearer, type CellRequest, type Client, clientOf, listRequests, summaryOf } from './requests-of-cells.ts'
import { type Cell, password, startTwoCells } from './two-cells.ts'

const cells = await startTwoCells()
const { A, B, router } = cells
const kinds = [...listRequests(cells, A), ...listRequests(cells, B)]

/** The codes that clients got, by cell. */
const created = new Map<Cell | undefined, string[]>([A, B].map((cell) => [cell, []]))
let turn = 0

/** Sends one request. Returns what is wrong with its answer. */
async function send(client: Client, request: CellRequest): Promise<string | undefined> {
  const { about, cell, path, body, expected, ...more } = request
  turn += 1
  const options = body ? { ...more, method: 'POST', body: body(`Guest ${turn}`) } : more
  const answer = await client(path, options).catch((error: Error) => error)
  const found = answer instanceof Error ? answer.message : summaryOf(answer)
  if (!(answer instanceof Error) && answer.status === 201) created.get(cell)?.push(answer.json().code)
  return found === expected ? undefined : `${cell?.letter ?? 'router'}, ${about}: ${found} instead of ${expected}`
}

async function codesOf({ controller, db, busy }: Cell) {
  const onController = (await controller.vouchers()).map(({ code }) => code).toSorted()
  const { rows } = await db.query<{ code: string }>('select code from vouchers where site_id = $1', [busy.id])
  return { onController, recorded: rows.map(({ code }) => code).toSorted() }
}

/** On two processors that many other processes used, the long form took more than ten minutes. */
const patient = { timeout: 3_600_000 }

test('every request is answered by its cell, and each voucher is on the controller of its site', patient, async () => {
  const wrong: string[] = []
  const requests = range(size(2 * kinds.length, 20_000)).map((i) => kinds[i % kinds.length] as CellRequest)
  const clients = range(16).map(() => clientOf(router))
  await withClients(clients.length, requests, async (request) => {
    const client = clients.pop() as Client
    wrong.push(...[(await send(client, request)) ?? []].flat())
    clients.push(client)
  })
  report('two cells: requests, wrong answers', [requests.length, wrong.length])

  expect(wrong).toEqual([])
  expect(router.readLogs()).toContain('POST /api/vouchers.php')
  expect(router.readLogs()).not.toMatch(new RegExp(`site_id|Guest|${A.key}|${cells.copiedKey}`))
  for (const cell of [A, B]) {
    const codes = created.get(cell)?.toSorted()
    expect(codes?.length).toBeGreaterThan(0)
    expect(await codesOf(cell)).toEqual({ onController: codes, recorded: codes })
  }
})

test('people sign in to the web app of their cell', async () => {
  const client = clientOf(router)
  const signIn = async ({ person: { email } }: Cell, name: string) => {
    const headers = { origin: `https://${name}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ email, password })
    const answer = await client('/api/v2/session', { method: 'POST', host: name, headers, body })
    return { status: answer.status, cookie: String(answer.headers['set-cookie']).split(';', 1)[0] as string }
  }
  const sitesOf = async (name: string, cookie: string) =>
    summaryOf(await client('/api/v2/sites', { host: name, headers: { cookie } }))

  const [a, b] = [await signIn(A, host), await signIn(B, hostOfCell.B)]

  expect([a.status, b.status]).toEqual([200, 200])
  expect(await sitesOf(host, a.cookie)).toBe('200 Quiet A, Busy A')
  expect(await sitesOf(hostOfCell.B, b.cookie)).toBe('200 Quiet B, Busy B')
  expect(await sitesOf(hostOfCell.B, a.cookie)).toBe('401 session_ended')
  expect((await signIn(A, hostOfCell.B)).status).toBe(401)
})

type Phase = 'both up' | 'B killed' | 'B frozen' | 'B back'

test('while a cell is down, the answers of the other cell do not change', async () => {
  const results: { phase: Phase; cell: Cell; ms: number; wrong: string | undefined }[] = []
  let phase: Phase = 'both up'
  let isOver = false

  async function runClient(cell: Cell, first: number): Promise<void> {
    const client = clientOf(router)
    const requests = kinds.filter((request) => request.cell === cell)
    for (let i = first; !isOver; i++) {
      const [begun, begin] = [phase, performance.now()]
      const wrong = await send(client, requests[i % requests.length] as CellRequest)
      results.push({ phase: begun, cell, ms: performance.now() - begin, wrong })
    }
  }
  const answersOf = (cell: Cell, of: Phase) => results.filter((each) => each.cell === cell && each.phase === of)
  const leadThrough = async (next: Phase) => {
    phase = next
    while (answersOf(A, next).length < size(100, 500)) await pause(50)
  }
  const untilB = async (status: number) => {
    while ((await clientOf(router)('/healthz', { host: hostOfCell.B })).status !== status) await pause(50)
  }

  const clients = range(6).flatMap((i) => [runClient(A, 7 * i), runClient(B, 7 * i)])
  await leadThrough('both up')
  await B.kill()
  await leadThrough('B killed')
  await B.start()
  await untilB(200)
  if (isLong) {
    B.freeze()
    await leadThrough('B frozen')
    await untilB(503) // after three checks
    B.thaw()
    await untilB(200)
  }
  await leadThrough('B back')
  isOver = true
  await Promise.all(clients)
  for (const each of ['both up', 'B killed', 'B frozen', 'B back'] as const) {
    const [ofA, ofB] = [answersOf(A, each), answersOf(B, each)]
    const failed = (answers: typeof ofA) => answers.filter(({ wrong }) => wrong).length
    const median = percentile([...ofA.map(({ ms }) => ms), 0], 50)
    report(`${each}: answers of A, failed, median ms; answers of B, failed`, [
      ...[ofA.length, failed(ofA), median],
      ...[ofB.length, failed(ofB)],
    ])
  }

  const wrongOf = (cell: Cell) => results.filter((each) => each.cell === cell).flatMap(({ wrong }) => wrong ?? [])
  expect(wrongOf(A)).toEqual([])
  expect(await codesOf(A)).toEqual({ onController: created.get(A)?.toSorted(), recorded: created.get(A)?.toSorted() })
  // A connection without a key may be closed without an answer.
  const isDown = /: (502|503 unavailable|504) instead of|^B, host, health: socket hang up/
  expect(wrongOf(B).filter((wrong) => !isDown.test(wrong))).toEqual([])
  expect(answersOf(B, 'B killed').filter(({ wrong }) => wrong).length).toBeGreaterThan(0)
  expect(answersOf(B, 'B back').flatMap(({ wrong }) => wrong ?? [])).toEqual([])
  expect((await codesOf(B)).onController).toEqual(expect.arrayContaining(created.get(B) as string[]))
  const names = (await B.controller.vouchers()).map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})

test('a creation is sent to the second api only if the first one refuses the connection', async () => {
  const breaking = await startStub((_, response) => response.destroy())
  const answering = await startStub((_, response) => response.writeHead(201).end())
  const stubs = [breaking.url, answering.url]
  const client = clientOf(await startRouter({ A: stubs, B: stubs }))
  const createFour = async () => {
    const answers: number[] = []
    for (const _ of range(4))
      answers.push(
        (await client('/api/vouchers.php', { method: 'POST', headers: bearer(A.key), body: '{"site_id":1}' })).status,
      )
    return answers.toSorted()
  }

  expect(await createFour()).toEqual([201, 201, 502, 502])
  expect([breaking.received(), answering.received()]).toEqual([2, 2])
  await breaking.stop()
  expect(await createFour()).toEqual([201, 201, 201, 201])
  expect(answering.received()).toBe(6)
})

/** A server in the place of an api. It counts requests other than checks, and reads their bodies. */
async function startStub(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  let received = 0
  const server = createServer(async (request, response) => {
    if (request.url === '/healthz') return void response.end()
    received += 1
    await buffer(request)
    answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = async () => void (server.listening && (await once(server.close(), 'close')))
  onFileEnd(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received: () => received, stop }
}
