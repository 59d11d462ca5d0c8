// @ts-expect-error The package has no types.
import { Controller } from 'node-unifi'
import { afterEach, expect, test } from 'vitest'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'

/** node-unifi was written by others for real controllers. It finds mistakes that simulator and drivers have in common. */
let simulator: Simulator
let unifi: any
afterEach(() => simulator.stop())

async function started(flavour: string) {
  simulator = await startSimulator('--https', '--flavour', flavour, '--site', 'default=Main office')
  const { hostname: host, port } = new URL(simulator.url)
  unifi = new Controller({ host, port, sslverify: false })
}

test.each(['console', 'self-hosted'])('node-unifi signs in to a %s, sees its sites and signs out', async (flavour) => {
  await started(flavour)
  const { username, password } = simulator.login

  expect(await unifi.login(username, password)).toBe(true)
  expect(await unifi.getSites()).toMatchObject([{ name: 'default', desc: 'Main office', role: 'admin' }])
  await unifi.logout()
  await expect(unifi.getSites()).rejects.toThrow(/401/)
})

test.each(['console', 'self-hosted'])('node-unifi creates, lists and revokes vouchers on a %s', async (flavour) => {
  await started(flavour)
  await unifi.login(simulator.login.username, simulator.login.password)

  const [{ create_time }] = await unifi.createVouchers(480, 2, 1, 'Visit 7F3K', 2000, 10_000, 500)
  const vouchers = await unifi.getVouchers(create_time)
  const limits = { qos_overwrite: true, qos_rate_max_up: 2000, qos_rate_max_down: 10_000, qos_usage_quota: 500 }
  const voucher = { note: 'Visit 7F3K', duration: 480, quota: 1, used: 0, status: 'VALID_ONE', ...limits }
  expect(vouchers).toMatchObject([voucher, voucher])
  await unifi.revokeVoucher(vouchers[0]._id)
  expect(await unifi.getVouchers()).toMatchObject([{ code: vouchers[1].code }])
})

test.each(['console', 'self-hosted'])(
  'node-unifi lists the guest of a voucher on a %s and ends the authorisation',
  async (flavour) => {
    await started(flavour)
    await unifi.login(simulator.login.username, simulator.login.password)
    await unifi.createVouchers(480)
    const [voucher] = await unifi.getVouchers()
    await simulator.redeem(voucher.code, 'aa:bb:cc:dd:ee:01')

    const [guest] = await unifi.getGuests()
    expect(guest).toMatchObject({ voucher_id: voucher._id, mac: 'aa:bb:cc:dd:ee:01', expired: false })
    await unifi.unauthorizeGuest(guest.mac)
    expect(await unifi.getGuests()).toMatchObject([{ voucher_id: voucher._id, expired: true }])
  },
)

test.each(['console', 'self-hosted'])('node-unifi gets an error for a wrong password on a %s', async (flavour) => {
  await started(flavour)

  await expect(unifi.login(simulator.login.username, 'wrong')).rejects.toThrow(flavour === 'console' ? /403/ : /400/)
})

test('node-unifi signs in to a self-hosted application with a second factor and no cookie', async () => {
  await started('self-hosted')
  await simulator.behave({ mfa: true })
  const { username, password } = simulator.login

  expect(await unifi.login(username, password, '123456')).toBe(true)
  expect(await unifi.getVouchers()).toEqual([])
  expect(await simulator.signIns()).toMatchObject([{ result: 'ok' }])
})
