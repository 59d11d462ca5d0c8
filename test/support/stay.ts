import { expect, vi } from 'vitest'
import type { TestApp } from './app.ts'
import { seedControlledSite, seedKey } from './data/seed.ts'
import { startSimulator } from './network/simulator.ts'

type Dialect = { driver: string; flavour: string }

export const onIntegration: Dialect = { driver: 'unifi-integration', flavour: 'console' }
export const onClassic: Dialect = { driver: 'unifi-classic', flavour: 'console' }

/**
 * Helpers that open sites on their own controllers, create vouchers for guests and revoke them. No worker syncs these sites: a
 * sync could record that a voucher is gone before its revocation does, which changes the outcome.
 */
export async function startStay(app: TestApp) {
  const { key } = await seedKey(app.db, { scope: 'write', name: 'Check-out' })

  async function openSite({ driver, flavour }: Dialect = onIntegration) {
    const simulator = await startSimulator('--flavour', flavour)
    const id = await seedControlledSite(app.db, simulator, { driver, isSyncedLater: true })
    const deletions = async () =>
      (await simulator.requests()).filter(
        ({ method, body }) => method === 'DELETE' || (body as { cmd?: string } | null)?.cmd === 'delete-voucher',
      ).length
    const onController = async (code: string) =>
      (await simulator.vouchers()).some((voucher) => voucher.code === code && !voucher.deleted)
    return { id, simulator, deletions, onController }
  }

  /** Creates a voucher; returns its public id and its code. */
  async function checkIn(siteId: number, change: object = {}): Promise<{ id: string; code: string }> {
    const body = JSON.stringify({ site_id: siteId, name: 'Gast', max_uses: 1, expire_minutes: 60, ...change })
    const { code } = (await app.call('/api/vouchers.php', { method: 'POST', key, body })).json()
    const found = await app.call(`/api/v2/vouchers/lookup?site_id=${siteId}&code=${code}`, { key })
    return { id: found.json().vouchers[0].id, code }
  }

  async function revoke(body: object): Promise<string> {
    const answer = await app.call('/api/v2/revocations', { method: 'POST', key, body: JSON.stringify(body) })
    expect(answer.status, answer.text).toBe(202)
    return answer.json().id
  }

  const read = async (path: string) => (await app.call(`/api/v2${path}`, { key })).json()

  /** The outcome and the failure of each voucher, by voucher id. */
  async function outcomes(revocationId: string): Promise<Record<string, [outcome: string, failure: string | null]>> {
    const { rows } = await read(`/revocations/${revocationId}/rows?limit=200`)
    return Object.fromEntries(rows.map(({ voucher_id, outcome, failure }: any) => [voucher_id, [outcome, failure]]))
  }

  async function done(revocationId: string, timeout = 20_000) {
    return vi.waitFor(
      async () => {
        const revocation = await read(`/revocations/${revocationId}`)
        expect(revocation).toMatchObject({ state: 'done' })
        return revocation
      },
      { timeout, interval: 50 },
    )
  }

  const statusOf = async (id: string) => (await read(`/vouchers/${id}`)).status as string

  return { key, openSite, checkIn, revoke, read, outcomes, done, statusOf }
}

export const uuidOf = (publicId: string) => publicId.slice(publicId.indexOf('-') + 1)
