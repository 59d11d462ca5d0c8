import {
  type ControllerConnection,
  ControllerError,
  type ControllerVoucher,
  hasSameLimits,
  type SeenVoucher,
  type VoucherShape,
} from '../driver.ts'
import { plainVersion } from '../http-base/http-client.ts'
import { type Observation, observeList, observeVoucher } from './observe.ts'
import { createSteps, type Step, Unexpected } from './steps.ts'

export type Verification = {
  controllerVersion: string | null
  steps: Step[]
  observations: Observation[]
  /** Whether a voucher may be left on the controller. */
  leftBehind: boolean
}

type Requested = { site: string; shape: VoucherShape }

/** Makes one voucher, finds it, deletes it and checks that it is gone. Tries to delete the voucher even after a failed step. */
export async function verify(connection: ControllerConnection, { site, shape }: Requested): Promise<Verification> {
  const { run, done } = createSteps(connection.requestCount)
  const observations: Observation[] = []
  const creation: Creation = { made: undefined, mayExist: false }
  const isTheNewOne = (voucher: SeenVoucher) =>
    creation.made ? isSame(voucher, creation.made) : isNewAndMatches(voucher, before ?? [], shape)

  const answers = await run('probe', () => connection.probe(site).then(() => true), connection)
  const version = await run('version', () => connection.version(site), answers)
  const before = await run('list', () => listAll(connection, site), answers)
  await run('create', () => createOne(connection, { site, shape }, creation), before)
  const found = await run(
    'find',
    async () => {
      const all = await listAll(connection, site)
      const matches = all.filter(isTheNewOne)
      observations.push(...observeList(all), ...matches.slice(0, 1).flatMap((each) => observeVoucher(each, shape)))
      if (creation.made && matches.length === 0) throw new Unexpected('it is not in the list')
      return matches
    },
    creation.mayExist,
  )
  const ids = idsOf([creation.made, ...(found ?? [])])
  await run('delete', () => connection.delete(site, ids), ids.length > 0)
  const gone = await run(
    'gone',
    async () => {
      if ((await listAll(connection, site)).some(isTheNewOne)) throw new Unexpected('it is still in the list')
      return true
    },
    creation.mayExist,
  )
  const leftBehind = creation.mayExist && !(gone && ids.length > 0)
  return { controllerVersion: plainVersion(version ?? ''), steps: done, observations, leftBehind }
}

type Creation = { made: ControllerVoucher | undefined; mayExist: boolean }

async function createOne(
  connection: ControllerConnection,
  { site, shape }: Requested,
  creation: Creation,
): Promise<void> {
  creation.mayExist = true
  try {
    for await (const [likeliest] of connection.create(site, shape, 1)) {
      creation.made = likeliest
      if (likeliest) return
    }
  } catch (error) {
    if (error instanceof ControllerError && error.outcome === 'refused') creation.mayExist = false
    throw error
  }
  throw new Unexpected('the controller accepted the creation, but the new voucher cannot be identified')
}

async function listAll(connection: ControllerConnection, site: string): Promise<SeenVoucher[]> {
  const all = new Map<string, SeenVoucher>()
  for await (const piece of connection.list(site))
    for (const voucher of piece) all.set(`${voucher.id ?? ''} ${voucher.code ?? ''}`, voucher)
  return [...all.values()]
}

function idsOf(vouchers: (SeenVoucher | undefined)[]): string[] {
  return [...new Set(vouchers.flatMap((voucher) => voucher?.id ?? []))]
}

/** Whether the voucher can only be the requested one. Some controllers show no name; then all limits must match. */
function isNewAndMatches(voucher: SeenVoucher, before: SeenVoucher[], requested: VoucherShape): boolean {
  const { shape, usedCount } = voucher
  if (usedCount > 0 || before.some((known) => isSame(known, voucher))) return false
  return shape.name === requested.name || (shape.name === '' && hasSameLimits(shape, requested))
}

function isSame(a: SeenVoucher, b: SeenVoucher): boolean {
  return a.id === null ? a.code === b.code : a.id === b.id
}
