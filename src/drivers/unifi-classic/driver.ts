import { setTimeout as pause } from 'node:timers/promises'
import { inPieces } from '#lib/pieces.ts'
import {
  type ControllerConnection,
  ControllerError,
  createTimeoutMs,
  type Driver,
  hasSameLimits,
  rethrowAs,
  type VoucherShape,
} from '../driver.ts'
import { createHttpClient, objectOf, textOf, withCode } from '../http-base/http-client.ts'
import { httpDriver } from '../http-base/http-driver.ts'
import { createClassicClient } from './client.ts'
import { disconnectDevices } from './disconnect-devices.ts'
import { type ClassicVoucher, secondFromWire, sitesFromWire, toWire, vouchersFromWire } from './wire.ts'

const probeTimeoutMs = 3_000
const maxLooks = 10
/** Each pause is this much longer than the one before. */
const pauseAfterLookMs = 50
const pieceSize = 1_000
/** The list has no pages, so it comes in one reply. About 80,000 vouchers fit into this size. */
const maxListBytes = 32 * 1024 * 1024
const rolesWithVouchers = ['admin', 'hotspot']

type Look = { site: string; deadline: AbortSignal; isLast: boolean }

/** UniFi with a local administrator's user name and password: any console, and self-hosted Network Applications. */
export const unifiClassic: Driver = {
  ...httpDriver,
  about:
    'UniFi console or self-hosted Network Application with user name and password of a local administrator or hotspot operator',
  credentials: 'login',
  bounds: {}, // the vendor documents none
  connect(access): ControllerConnection {
    if (!('username' in access.credentials)) throw new Error('unifi-classic needs user name and password')
    const { username } = access.credentials
    const http = createHttpClient(access)
    const client = createClassicClient(http, access, access.credentials)
    const onSite = (site: string, path: string) => `/api/s/${encodeURIComponent(site)}/${path}`

    const read = (data: unknown[], ourAdminName: string | null) =>
      vouchersFromWire(data, { username, ourAdminName, clockAheadMs: http.shared.clockAheadMs() })

    async function listSecond(site: string, second: number, deadline?: AbortSignal): Promise<ClassicVoucher[]> {
      const path = onSite(site, 'stat/voucher')
      const data = await client.call({ site, path, body: { create_time: second }, ...(deadline && { deadline }) })
      return read(data, client.adminName())
    }

    async function listAll(site: string, deadline?: AbortSignal): Promise<ClassicVoucher[]> {
      const path = onSite(site, 'stat/voucher')
      const data = await client.call({ site, path, maxBytes: maxListBytes, ...(deadline && { deadline }) })
      return read(data, await client.findAdminName())
    }

    /**
     * Returns vouchers that may be those just made. If even the last lookup finds none, the known administrator name is out of
     * date: it is deleted, and the vouchers are compared without it.
     */
    async function lookFor(made: { second: number; shape: VoucherShape; count: number }, look: Look) {
      const ofThatSecond = await listSecond(look.site, made.second, look.deadline)
      const found = findMade(ofThatSecond, made.shape)
      const adminName = adminNameOf(found, made.count)
      if (adminName !== null) client.shareAdminName(adminName)
      if (found.length > 0 || !look.isLast) return preferOurs(found)
      client.shareAdminName(null)
      return findMade(
        ofThatSecond.map((voucher) => ({ ...voucher, isOurs: null })),
        made.shape,
      )
    }

    return {
      ...http.shared,
      /** The answer contains only the second of the creation, so the vouchers of that second are looked up. */
      async *create(site, shape, count) {
        const deadline = AbortSignal.timeout(createTimeoutMs(count))
        const path = onSite(site, 'cmd/hotspot')
        const second = secondFromWire(await client.call({ site, path, body: toWire(shape, count), deadline }))
        for (let look = 1; look <= maxLooks; look++) {
          const isLast = look === maxLooks
          yield withCode(
            await lookFor({ second, shape, count }, { site, deadline, isLast }).catch(rethrowAs('unknown')),
          )
          await pause(pauseAfterLookMs * look)
        }
      },
      async *list(site) {
        yield* inPieces(await listAll(site), pieceSize)
      },
      async *listNamed(site, name) {
        yield (await listAll(site)).filter(({ shape }) => shape.name === name)
      },
      /** The API has no filter for codes. */
      findByCode: async (site, code, deadline) =>
        (await listAll(site, deadline)).filter((voucher) => voucher.code === code),
      /** A controller may answer ok and delete nothing, so the list is checked afterwards. */
      async delete(site, ids) {
        for (const _id of ids)
          await client.call({
            site,
            path: onSite(site, 'cmd/hotspot'),
            body: { cmd: 'delete-voucher', _id },
            mayBeEmpty: true,
          })
        const gone = new Set(ids)
        if ((await listAll(site)).some(({ id }) => id !== null && gone.has(id)))
          throw new ControllerError('failed', 'unknown', 'The controller still has a voucher that it said was deleted')
      },
      disconnect: (site, vouchers) =>
        disconnectDevices(
          {
            listGuests: (body) => client.call({ site, path: onSite(site, 'stat/guest'), body, maxBytes: maxListBytes }),
            command: (body, deadline) =>
              client.call({ site, path: onSite(site, 'cmd/stamgr'), body, deadline, mayBeEmpty: true }),
            clock: access.clock,
            clockAheadMs: http.shared.clockAheadMs,
          },
          vouchers,
        ),
      async probe(site) {
        const deadline = AbortSignal.timeout(probeTimeoutMs)
        const sites = sitesFromWire(await client.call({ site, path: '/api/self/sites', deadline }))
        const found = sites.find(({ reference }) => reference === site)
        if (!found)
          throw new ControllerError(
            'missing',
            'refused',
            `Site "${site}" was not found on the controller, or this account cannot see it`,
          )
        if (found.role !== '' && !rolesWithVouchers.includes(found.role))
          throw new ControllerError('forbidden', 'refused', 'The user may not create vouchers on this site')
        await listSecond(site, 0, deadline)
      },
      async version(site) {
        const [info] = await client.call({ site, path: onSite(site, 'stat/sysinfo') })
        return textOf(objectOf(info ?? {})['version'])
      },
      async sites(site) {
        const deadline = AbortSignal.timeout(probeTimeoutMs)
        const sites = sitesFromWire(await client.call({ site, path: '/api/self/sites', deadline }))
        return sites.map(({ reference, name }) => ({ ids: [reference], name }))
      },
    }
  },
}

/** Vouchers of one second that may be the requested ones. Some controllers show no name; then only the limits are compared. */
function findMade(vouchers: ClassicVoucher[], asked: VoucherShape): ClassicVoucher[] {
  const alike = vouchers.filter(
    ({ shape, usedCount, isOurs }) => usedCount === 0 && isOurs !== false && hasSameLimits(shape, asked),
  )
  const named = alike.filter(({ shape }) => shape.name === asked.name)
  return named.length > 0 ? named : alike.filter(({ hasName }) => !hasName)
}

/**
 * Returns the vouchers that our account certainly made, or all vouchers if there are none of ours. Vouchers of the same shape
 * are interchangeable; the record decides which of them is still free.
 */
function preferOurs(made: ClassicVoucher[]): ClassicVoucher[] {
  const ours = made.filter(({ isOurs }) => isOurs)
  return ours.length > 0 ? ours : made
}

/**
 * Our account's name, or null if it is not certain. Our vouchers are among those found, so a name that all of them have is
 * ours.
 */
function adminNameOf(made: ClassicVoucher[], count: number): string | null {
  const [adminName = null, another] = new Set(made.map((voucher) => voucher.adminName))
  return made.length >= count && another === undefined ? adminName : null
}
