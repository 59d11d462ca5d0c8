import type { Clock } from '#lib/clock.ts'
import { ControllerError, type Disconnection, type Failure, type VoucherToDisconnect } from '../driver.ts'
import { integerOf, type Json, objectOf, unreadable } from '../http-base/http-client.ts'

/** The list of guests covers the time since the oldest voucher was made, and this much more, because clocks differ. */
const marginHours = 24
const msPerHour = 3_600_000
/** Parsing more guests would block the process for too long. */
const maxGuests = 100_000
/** Times in replies are whole seconds, and the controller's clock is known only roughly. */
const toleranceMs = 5_000
/** No command is sent after this time, because the caller's lease of a withdrawal is 12 s. The next call continues. */
const commandsMs = 4_000
/** A command that gets no answer must not take up the lease. */
const commandTimeoutMs = 4_000
/** Failures of a command that may concern its device only. After any other failure, no further command is sent. */
const perhapsOfDevice: Failure[] = ['rejected', 'missing', 'failed', 'timeout', 'no_voucher']

type GuestApi = {
  /** `stat/guest` */
  listGuests(body: object): Promise<unknown[]>
  /** `cmd/stamgr` */
  command(body: object, deadline: AbortSignal): Promise<unknown>
  clock: Clock
  /** How far the controller's clock is ahead of ours. */
  clockAheadMs(): number
}

/** A sign-in that has not ended. A MAC address identifies a person's device: it is never stored, logged or put into an error. */
type Guest = {
  /** 12 hexadecimal digits; null if it cannot be read. */
  mac: string | null
  voucherId: string | null
  voucherCode: string | null
  /** False if the guest certainly signed in by other means, e.g. with a password. */
  perhapsByVoucher: boolean
}

/**
 * Ends the sign-ins of the devices that the list of guests ties to these vouchers. Reads the list once before and once after,
 * for any number of vouchers, because a controller may answer ok and do nothing.
 */
export async function disconnectDevices(
  api: GuestApi,
  vouchers: VoucherToDisconnect[],
): Promise<Map<string, Disconnection>> {
  if (vouchers.length === 0) return new Map()
  const guests = await listGuests(api, vouchers)
  const plans = planDisconnections(guests, vouchers)
  const sent = await sendCommands(api, new Set(plans.flatMap((plan) => plan.macs)))
  const left = sent.size > 0 ? await listGuests(api, vouchers) : []
  return new Map(plans.map((plan) => resultOf(plan, sent, left)).filter((result) => result !== undefined))
}

/**
 * Sends at least one command, so that repeated calls come to an end. Returns the devices for which a command was sent, even if
 * it failed: the list of guests then shows whether the device is still signed in.
 */
async function sendCommands(api: GuestApi, macs: Set<string>): Promise<Set<string>> {
  const startedAt = performance.now()
  const sent = new Set<string>()
  for (const mac of macs) {
    if (sent.size > 0 && performance.now() - startedAt >= commandsMs) break
    try {
      const body = { cmd: 'unauthorize-guest', mac: mac.replaceAll(/..(?=.)/g, '$&:') }
      await api.command(body, AbortSignal.timeout(commandTimeoutMs))
    } catch (error) {
      const mayGoOn = error instanceof ControllerError && perhapsOfDevice.includes(error.failure)
      if (!mayGoOn && sent.size === 0) throw error
      if (!mayGoOn) break
    }
    sent.add(mac)
  }
  return sent
}

/** Undefined while there are devices without a command, unless a command for another device had no effect. */
function resultOf({ id, result, macs }: Plan, sent: Set<string>, left: Guest[]): [string, Disconnection] | undefined {
  const isFinished = macs.every((mac) => sent.has(mac))
  const leftOfVoucher = left.filter(({ voucherId }) => voucherId === id)
  const hasFailed = leftOfVoucher.some(({ mac }) => isFinished || (mac !== null && sent.has(mac)))
  if (!isFinished && !hasFailed) return undefined
  return [id, result === 'all' && hasFailed ? 'failed' : result]
}

/** Sends the request with a body, because proxies log the paths and queries of requests. */
async function listGuests(api: GuestApi, vouchers: VoucherToDisconnect[]): Promise<Guest[]> {
  const oldest = Math.min(...vouchers.map(({ createdAt }) => createdAt.getTime()))
  const hours = Math.ceil((api.clock.now().getTime() - oldest) / msPerHour)
  const data = await api.listGuests({ within: Math.max(0, hours) + marginHours })
  if (data.length > maxGuests) throw unreadable('too many guests')
  const nowMs = api.clock.now().getTime() + api.clockAheadMs()
  return data
    .map(objectOf)
    .filter((guest) => !hasEnded(guest, nowMs))
    .map(guestFromWire)
}

function hasEnded({ expired, end }: Json, nowMs: number): boolean {
  const endSecond = integerOf(end)
  if (expired === true) return true
  if (endSecond === undefined) return false
  return endSecond * 1_000 <= nowMs + (expired === false ? 0 : toleranceMs)
}

function guestFromWire(guest: Json): Guest {
  const mac = String(guest['mac']).replaceAll(/[:-]/g, '').toLowerCase()
  return {
    mac: /^[0-9a-f]{12}$/.test(mac) ? mac : null,
    voucherId: filledText(guest['voucher_id']),
    voucherCode: filledText(guest['voucher_code'])?.replaceAll('-', '') ?? null,
    perhapsByVoucher: (guest['authorized_by'] ?? 'voucher') === 'voucher',
  }
}

function filledText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

type Plan = { id: string; result: Exclude<Disconnection, 'failed'>; macs: string[] }

/**
 * Never ties a device to a voucher by the code alone: a controller may reuse the code of a deleted voucher. A command ends all
 * sign-ins of a device, so a device that is also signed in by other means is left alone.
 */
function planDisconnections(guests: Guest[], vouchers: VoucherToDisconnect[]): Plan[] {
  const codes = new Map(vouchers.map(({ id, code }) => [id, code]))
  const isTied = ({ voucherId, voucherCode }: Guest) =>
    voucherId !== null && codes.has(voucherId) && [null, codes.get(voucherId)].includes(voucherCode)
  const macsOfOthers = new Set(guests.flatMap((guest) => (isTied(guest) ? [] : [guest.mac])))
  const byVoucher = Map.groupBy(guests, ({ voucherId }) => voucherId)
  const unnamed = byVoucher.get(null)?.filter(({ perhapsByVoucher }) => perhapsByVoucher) ?? []

  return vouchers.map(({ id, code }) => {
    const devices = byVoucher.get(id) ?? []
    const macs = devices.filter(isTied).flatMap(({ mac }) => (mac === null || macsOfOthers.has(mac) ? [] : [mac]))
    const mayHaveMore = unnamed.some(({ voucherCode }) => voucherCode === null || voucherCode === code)
    if (macs.length < devices.length || mayHaveMore) return { id, result: 'unsupported', macs }
    return { id, result: macs.length > 0 ? 'all' : 'none_online', macs }
  })
}
