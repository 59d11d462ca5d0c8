import { expect } from 'vitest'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { createAndClaim, directAccess } from '#test/drivers.ts'
import type { Simulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import type {
  ControllerAccess,
  ControllerConnection,
  ControllerVoucher,
  Credentials,
  Driver,
  SeenVoucher,
  VoucherShape,
} from '../driver.ts'

/** The controls of a simulated controller that the suite uses. `test/support/network/simulator.ts` has them for UniFi. */
type SuiteSimulator = Pick<
  Simulator,
  | 'url'
  | 'fingerprint'
  | 'requests'
  | 'signIns'
  | 'vouchers'
  | 'creates'
  | 'forget'
  | 'redeem'
  | 'addVoucher'
  | 'guests'
  | 'addGuest'
  | 'deleteVoucher'
  | 'giveCodes'
  | 'clock'
  | 'behave'
  | 'fault'
>

/** A driver and the simulated controller that it is tested with. */
export type SuiteSetup = {
  driver: Driver
  /** The controller has a self-signed certificate, which the driver gets as pin, and the sites default, branch, many and empty. */
  simulator: SuiteSimulator
  credentials: Credentials
  wrongCredentials: Credentials
  version: string
  /** Whether the controller says which devices used a voucher. */
  namesGuests: boolean
  /** Faults of a creation that end differently on this controller than in `commonCreateFaults`. */
  createFaults?: Record<string, ExpectedResult>
}

/** `made`: the voucher is made in spite of the fault. */
export type ExpectedResult = [failure: string, outcome: string] | 'made' | 'nothing found'

export const shape = { name: '2026-11-14_Gast', maxUses: 2, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }

/** The setup and the steps that several parts of the suite share. */
export type Bench = SuiteSetup & {
  connection: ControllerConnection
  /** Opens another connection. */
  connect(change?: Partial<ControllerAccess>): ControllerConnection
  create(change?: Partial<VoucherShape>, count?: number, site?: string): Promise<ControllerVoucher[]>
  listAll(site: string, from?: ControllerConnection): Promise<SeenVoucher[]>
}

export function createBench(setup: SuiteSetup): Bench {
  const connection = connect()

  function connect(change: Partial<ControllerAccess> = {}): ControllerConnection {
    const made = setup.driver.connect({
      address: setup.simulator.url,
      credentials: setup.credentials,
      certificatePin: parseFingerprint(setup.simulator.fingerprint as string) as Buffer,
      ...directAccess(),
      ...change,
    })
    onFileEnd(() => made.close())
    return made
  }

  return {
    ...setup,
    connection,
    connect,
    create: (change = {}, count = 1, site = 'default') =>
      createAndClaim(connection, { site, shape: { ...shape, ...change }, count }),
    async listAll(site, from = connection) {
      const all: SeenVoucher[] = []
      for await (const piece of from.list(site)) all.push(...piece)
      return all
    },
  }
}

/** Matches a `ControllerError`. */
export function controllerError(failure: string, outcome: string) {
  return expect.objectContaining({ name: 'ControllerError', failure, outcome })
}
