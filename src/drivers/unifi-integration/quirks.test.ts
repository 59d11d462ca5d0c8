import { beforeEach, expect, test } from 'vitest'
import { createAndClaim, directAccess } from '#test/drivers.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import type { SeenVoucher } from '../driver.ts'
import { listPages, unifiIntegration } from './driver.ts'

const shape = { name: 'Gast', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const simulator = await startSimulator(
  '--site',
  "o'brien=O'Brien & Co",
  '--site',
  'a=Twin',
  '--site',
  'b=Twin',
  '--site',
  'c=a',
)
beforeEach(() => simulator.forget())

function connect({ url, apiKey }: Simulator, path = '') {
  const access = { address: url + path, credentials: { apiKey }, certificatePin: null }
  const connection = unifiIntegration.connect({ ...access, ...directAccess() })
  onFileEnd(() => connection.close())
  return connection
}

const connection = connect(simulator)

async function listAll(site: string, from = connection): Promise<SeenVoucher[]> {
  const all: SeenVoucher[] = []
  for await (const piece of from.list(site)) all.push(...piece)
  return all
}

test('a site is found by reference, by name and by UUID; the reference wins', async () => {
  const [byReference] = await createAndClaim(connection, { site: "o'brien", shape })
  const [byName] = await createAndClaim(connection, { site: "O'Brien & Co", shape })
  const { siteId } = (await simulator.vouchers()).find(({ code }) => code === byReference?.code) ?? {}
  const [byId] = await createAndClaim(connection, { site: siteId as string, shape })
  const [referenceWins] = await createAndClaim(connection, { site: 'a', shape })

  expect((await listAll("o'brien")).map(({ code }) => code).toSorted()).toEqual(
    [byReference?.code, byName?.code, byId?.code].toSorted(),
  )
  expect((await listAll('a')).map(({ code }) => code)).toEqual([referenceWins?.code])
})

test('a name that two sites share is rejected', async () => {
  await expect(createAndClaim(connection, { site: 'Twin', shape })).rejects.toMatchObject({
    failure: 'missing',
    outcome: 'refused',
    message: expect.stringContaining('"Twin" is the name of several sites'),
  })
})

test('the site is looked up once', async () => {
  const fresh = connect(simulator)
  for (let i = 0; i < 5; i++) await createAndClaim(fresh, { site: 'a', shape })

  expect((await simulator.requests()).filter(({ path }) => path.endsWith('/sites'))).toHaveLength(1)
})

test('replies of the cloud connector are unpacked although no header says that they are compressed', async () => {
  const prefix = '/v1/connector/consoles/AB12'
  const cloud = await startSimulator('--path-prefix', prefix)
  await cloud.behave({ gzipUnlabelled: true })
  const throughCloud = connect(cloud, prefix)
  const [voucher] = await createAndClaim(throughCloud, { site: 'default', shape })

  expect((await listAll('default', throughCloud)).map(({ code }) => code)).toEqual([voucher?.code])
  await cloud.fault('gateway-timeout')
  await expect(createAndClaim(throughCloud, { site: 'default', shape })).rejects.toMatchObject({ outcome: 'unknown' })
  await cloud.fault('too-many')
  await expect(createAndClaim(throughCloud, { site: 'default', shape })).rejects.toMatchObject({
    failure: 'busy',
    outcome: 'refused',
  })
})

test('a reply that is small but would unpack to 64 MiB is not unpacked', async () => {
  await simulator.behave({ gzipUnlabelled: true })
  await simulator.fault('huge')

  await expect(createAndClaim(connection, { site: 'a', shape })).rejects.toMatchObject({ failure: 'no_voucher' })
})

test('a list that is newest first is complete while vouchers are added', async () => {
  const busy = await startSimulator()
  await busy.behave({ sortNewestFirst: true })
  await busy.addVoucher({ internalReference: 'default', name: 'x', timeLimitMinutes: 60, count: 3_500 })
  const seen = new Set<string | null>()
  for await (const piece of connect(busy).list('default')) {
    for (const { code } of piece) seen.add(code)
    await busy.addVoucher({ internalReference: 'default', name: 'new', timeLimitMinutes: 60 })
  }
  const old = (await busy.vouchers()).filter(({ name }) => name === 'x')

  expect(old.filter(({ code }) => !seen.has(code))).toEqual([])
})

test.each([false, true])(
  'a deletion between two pages hides no voucher (newest first: %s)',
  async (sortNewestFirst) => {
    const busy = await startSimulator()
    await busy.behave({ sortNewestFirst })
    await busy.addVoucher({ internalReference: 'default', name: 'x', timeLimitMinutes: 60, count: 3_500 })
    const seen = new Set<string | null>()
    const doomed: string[] = []
    for await (const piece of connect(busy).list('default')) {
      for (const { code } of piece) seen.add(code)
      if (doomed.length === 0) {
        doomed.push(piece[5]?.code as string, piece[6]?.code as string)
        for (const code of doomed) await busy.deleteVoucher(code)
      }
    }
    const left = (await busy.vouchers()).filter(({ deleted }) => !deleted)

    expect(left.filter(({ code }) => !seen.has(code))).toEqual([])
  },
)

test('a list that changes all the time is an error', async () => {
  let turn = 0
  const voucher = (id: string) => ({ id, code: null }) as SeenVoucher
  const restless = async () => ({ vouchers: [voucher(`${turn++}`), voucher(`${turn++}`)], totalCount: 10 })

  const read = async () => {
    for await (const _ of listPages(restless));
  }

  await expect(read()).rejects.toMatchObject({ failure: 'no_voucher' })
})

test('an id that is not a UUID is not sent in a filter', async () => {
  await expect(connection.delete('a', ['x),id.ne(y'])).rejects.toMatchObject({ failure: 'rejected' })
  expect((await simulator.requests()).filter(({ method }) => method === 'DELETE')).toEqual([])
})
