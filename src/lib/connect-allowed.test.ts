import { expect, test } from 'vitest'
import { createAddressPolicy } from './address-policy.ts'
import { AddressRefused, AddressUnknown, resolveAllowed } from './connect-allowed.ts'

const policy = createAddressPolicy({
  forbidden: ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254'],
  ownPorts: [8080],
})

/** Resolves a host with a resolver that answers with these addresses. The port is 443 unless another is given. */
function resolve(hostname: string, answers: string[], port = 443) {
  const lookup = async () => answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return resolveAllowed(hostname, port, policy, { lookup })
}

test('returns every address of the name', async () => {
  expect(await resolve('unifi.example', ['192.168.1.1', 'fd00::1'])).toEqual([
    { address: '192.168.1.1', family: 4 },
    { address: 'fd00::1', family: 6 },
  ])
})

test('a literal address is checked without a lookup', async () => {
  const lookup = () => Promise.reject(new Error('was asked'))

  expect(await resolveAllowed('192.168.1.1', 443, policy, { lookup })).toEqual([{ address: '192.168.1.1', family: 4 }])
  expect(await resolveAllowed('fd00::1', 443, policy, { lookup })).toEqual([{ address: 'fd00::1', family: 6 }])
  await expect(resolveAllowed('169.254.169.254', 443, policy, { lookup })).rejects.toThrow(AddressRefused)
  await expect(resolveAllowed('fe80::1%eth0', 443, policy, { lookup })).rejects.toThrow(AddressRefused)
})

test.each([
  ['metadata.google.internal', ['169.254.169.254']],
  ['METADATA.google.internal.', ['169.254.169.254']],
  ['instance-data.ec2.internal', ['fd00:ec2::254']],
  ['169.254.169.254.nip.io', ['169.254.169.254']],
  ['first.example', ['169.254.169.254', '192.168.1.1']],
  ['last.example', ['192.168.1.1', '10.0.0.1', 'fd00::1', '169.254.169.254']],
  ['mapped.example', ['::ffff:169.254.169.254']],
  ['nat64.example', ['64:ff9b::a9fe:a9fe']],
  ['zone.example', ['fe80::1%eth0']],
  ['nonsense.example', ['not an address']],
])('%s at %j is rejected', async (hostname, answers) => {
  await expect(resolve(hostname, answers)).rejects.toThrow(AddressRefused)
})

test('the port is checked too', async () => {
  for (const hostname of ['localhost', 'localhost.', 'LOCALHOST', 'a.localtest.me'])
    await expect(resolve(hostname, ['127.0.0.1', '::1'], 8080)).rejects.toThrow(AddressRefused)
  expect(await resolve('localhost', ['127.0.0.1', '::1'], 8443)).toHaveLength(2)
})

test("the system's resolver accepts old forms of IPv4 addresses; its result is checked", async () => {
  for (const hostname of ['0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518'])
    await expect(resolveAllowed(hostname, 443, policy)).rejects.toThrow(AddressRefused)
  expect(await resolveAllowed('localhost', 443, policy)).toContainEqual({ address: '127.0.0.1', family: 4 })
})

test('a name without an address is unknown, not rejected', async () => {
  await expect(resolve('nobody.example', [])).rejects.toThrow(AddressUnknown)
  await expect(resolveAllowed('nobody.invalid', 443, policy)).rejects.toThrow(AddressUnknown)
})

test('a resolver that does not answer in time is an error', async () => {
  const silent = () => new Promise<never>(() => {})
  const resolving = resolveAllowed('slow.example', 443, policy, { lookup: silent, timeoutMs: 50 })

  await expect(resolving).rejects.toEqual(expect.objectContaining({ name: 'AddressUnknown', code: 'ETIMEOUT' }))
})
