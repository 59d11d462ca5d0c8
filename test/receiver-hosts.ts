import { allowedHosts, distantLoopbackHosts, forbiddenHosts, loopbackHosts } from './controller-hosts.ts'

/** A controller may be there, and a receiver as well. */
const publicControllers = [
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '223.255.255.255',
  '1.0.0.0',
  '[2606:4700::1111]',
]

/** Hosts as somebody may write them into the address of a webhook: none of them is on the public internet. */
export const notPublicHosts = [
  ...forbiddenHosts,
  ...loopbackHosts,
  ...distantLoopbackHosts,
  ...allowedHosts.filter((host) => !publicControllers.includes(host)),
  // private and shared, at their ends and in other spellings
  '10.0.0.0',
  '012.0.0.1',
  '0xa.1',
  '167772161',
  '172.31.255.255',
  '0xac.0x10.1',
  '192.168.255.255',
  '3232235777',
  '0300.0250.1.1',
  '100.127.255.255',
  '１９２.168.1.1',
  // protocol assignments, documentation, benchmarks, relays
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '203.0.113.255',
  // public IPv4 addresses that IPv6 only carries
  '[::ffff:8.8.8.8]',
  '[::8.8.8.8]',
  '[64:ff9b::8.8.8.8]',
  '[2002:808:808::1]',
  // IPv6 outside of 2000::/3, and what is special inside
  '[100::1]',
  '[1fff:ffff::1]',
  '[4000::1]',
  '[5f00::1]',
  '[fdff:ffff::1]',
  '[2001::1]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  '[2001:10::1]',
  '[2001:1ff:ffff::1]',
  '[2001:db8:ffff::1]',
  '[3fff::1]',
  '[3fff:fff:ffff::1]',
  '[2620:4f:8000::1]',
]

export const publicHosts = [
  ...publicControllers,
  '8.8.8.8',
  '134744072',
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '[2001:200::1]',
  '[2001:4860:4860::8888]',
  '[2a00:1450::1]',
  '[3ffe:ffff::1]',
]
