import { type Keyring, keyedHashes } from '#lib/cipher.ts'

/**
 * The id of the host in a receiver's address, without its port: a machine that hangs usually hangs on every port. The id is
 * stored unencrypted, so it is a keyed hash: with some services, such as tunnels, the host name itself is the secret. An
 * `earlier` id stays if one of the keys made it. Otherwise two processes would replace each other's ids during a change of keys.
 */
export function hostIdOf(keyring: Keyring, url: string, earlier: string | null = null): string {
  const host = new URL(url).hostname.replace(/\.$/, '') // `URL` normalises upper case and IP addresses
  const [current, ...others] = keyedHashes(keyring, 'webhook host', host) as [string, ...string[]]
  return earlier !== null && others.includes(earlier) ? earlier : current
}
