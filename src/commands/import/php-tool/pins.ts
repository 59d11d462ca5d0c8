import type { MovedController } from '#domain/moving-in/inventory.ts'
import type { Pins } from '#domain/moving-in/move-in.ts'
import { readCertificate } from '#drivers/http-base/connector.ts'
import type { AddressPolicy } from '#lib/address-policy.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { inPieces } from '#lib/pieces.ts'
import { CommandRefused } from '../../terminal/refusals.ts'

/** Texts instead of a pin: `authority`, which must have signed the certificate, and `plain`, for an address without encryption. */
const [authority, plain] = ['authority', 'plain']
const atOnce = 20

/**
 * The lines of a file for --trust-pins: each address with the certificate that it shows now. Reading a certificate sends no request, so
 * no password leaves this machine before somebody has compared the lines.
 */
export async function describePins(controllers: MovedController[], policy: AddressPolicy): Promise<string[]> {
  const addresses = [...new Set(controllers.map(({ address }) => address))].toSorted()
  const lines: string[] = []
  for (const piece of inPieces(addresses, atOnce))
    lines.push(...(await Promise.all(piece.map((address) => describePin(address, policy)))))
  return lines
}

async function describePin(address: string, policy: AddressPolicy): Promise<string> {
  if (address.startsWith('http:'))
    return `${address} ${plain} # not encrypted: others on the network can read the password`
  try {
    const { trusted, fingerprint } = await readCertificate(new URL(address), policy)
    return trusted ? `${address} ${authority}` : `${address} ${fingerprint}`
  } catch (error) {
    const { code } = error as { code?: unknown }
    return `# ${address} shows no certificate (${typeof code === 'string' ? code : 'no answer'}). Write its address and its SHA-256 fingerprint here, or the word ${authority} if an authority has signed it`
  }
}

/** Reads the lines that somebody has compared. Each new controller must have one. */
export function readPins(text: string, controllers: MovedController[]): Pins {
  const pins: Pins = new Map()
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    const [written, shown] = (line.split('#')[0] ?? '').trim().split(/\s+/)
    if (!written) continue
    const address = written.replace(/\/+$/, '')
    const pin = readPin(address, shown, index + 1)
    const earlier = pins.get(address)
    if (earlier !== undefined && !(earlier && pin ? earlier.equals(pin) : earlier === pin))
      throw new CommandRefused(
        `The file of --trust-pins has two different lines for ${address}. Keep the right one. Nothing was imported.`,
      )
    pins.set(address, pin)
  }
  const missing = [...new Set(controllers.map(({ address }) => address))].filter((address) => !pins.has(address))
  if (missing.length > 0)
    throw new CommandRefused(
      `The file of --trust-pins has no line for ${missing.join(', ')}. Add the fingerprint of the certificate, or the word ${authority} if an authority has signed it. Nothing was imported.`,
    )
  return pins
}

function readPin(address: string, pin: string | undefined, line: number): Buffer | null {
  const isHttp = address.startsWith('http:')
  if (isHttp ? pin === plain : pin === authority) return null
  const fingerprint = pin === undefined || isHttp ? undefined : parseFingerprint(pin)
  if (fingerprint) return fingerprint
  throw new CommandRefused(
    `Line ${line} of the file of --trust-pins must have an address and ${isHttp ? `the word ${plain}, because http has no certificate` : `a SHA-256 fingerprint, or the word ${authority}`}.`,
  )
}
