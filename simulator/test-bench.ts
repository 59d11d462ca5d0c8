import { afterEach, beforeEach } from 'vitest'
import { type RunningSimulator, startSimulator } from './start-simulator.ts'
import { type Client, clientOf, type Request } from './test-client.ts'

export const unknownId = '00000000-0000-4000-8000-000000000000'
export const visit = { name: 'Visit 7F3K', timeLimitMinutes: 480, authorizedGuestLimit: 1 }

/** The simulator of the test that runs now. */
export let simulator: RunningSimulator
export let client: Client
export let vouchers: string

/** Gives each test of the calling file a new simulator with two sites. */
export function useTestBench(): void {
  beforeEach(async () => {
    const sites = ['default', 'branch'].map((internalReference) => ({
      internalReference,
      name: `Site ${internalReference}`,
    }))
    simulator = await startSimulator({ apiKey: 'secret-key', sites })
    client = clientOf(simulator)
    vouchers = `/sites/${simulator.sites[0]?.id}/hotspot/vouchers`
  })
  afterEach(() => simulator.close())
}

export const create = (body: unknown = visit, options: Request = {}) =>
  client.integration(vouchers, { ...options, method: 'POST', body })

export const found = async (filter: string) => {
  const answer = await client.integration(`${vouchers}?filter=${encodeURIComponent(filter)}`)
  return answer.status === 200 ? answer.json().data.map((voucher: { name: string }) => voucher.name) : answer.status
}
