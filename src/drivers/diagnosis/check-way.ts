import { isIP } from 'node:net'
import { AddressRefused, AddressUnknown, resolveAllowed } from '#lib/resolve-allowed.ts'
import { connectAllowed } from '../connect-allowed.ts'
import { type Finding, failed, ok } from './layers.ts'
import { type Subject, targetOf } from './subject.ts'

const notAllowed =
  'No controller may be there: link-local, metadata and multicast addresses and our own ports are refused'

export async function checkAddress(subject: Subject): Promise<Finding> {
  const { protocol, hostname, port } = targetOf(subject.address)
  if (isIP(hostname) !== 0 && !subject.addressPolicy.allows(hostname, Number(port))) return failed(notAllowed)
  if (!subject.hasCredentials) return failed(`No credentials are stored; enter them with: ${subject.howToEnter}`)
  return ok(`${protocol.slice(0, -1)}, port ${port}; credentials are stored`)
}

export async function checkName({ address, addressPolicy }: Subject): Promise<Finding> {
  const { hostname, port } = targetOf(address)
  if (isIP(hostname) !== 0) return ok('an address: no name to look up')
  try {
    const found = await resolveAllowed(hostname, Number(port), addressPolicy)
    return ok(found.map((each) => each.address).join(', '))
  } catch (error) {
    if (error instanceof AddressRefused) return failed(`The name leads to a forbidden address. ${notAllowed}`)
    if (error instanceof AddressUnknown) return failed(error.message)
    throw error
  }
}

/** Opens a connection as the drivers do, and says nothing. */
export async function checkPort({ address, addressPolicy: policy }: Subject): Promise<Finding> {
  const target = targetOf(address)
  try {
    const socket = await connectAllowed({ ...target, protocol: 'http:' }, { policy, rejectUnauthorized: true })
    socket.destroy()
    return ok(`port ${target.port} is open`)
  } catch (error) {
    return failed(`${explain((error as NodeJS.ErrnoException).code)} (port ${target.port})`)
  }
}

function explain(code = 'no connection'): string {
  if (code === 'ECONNREFUSED') return 'The machine is there, but nothing listens (ECONNREFUSED)'
  if (code.endsWith('TIMEOUT') || code === 'ETIMEDOUT')
    return `Nobody answers within 3 s: switched off, another network, or a firewall (${code})`
  return `No connection (${code})`
}
