import { parseArgs } from 'node:util'
import type { FlavourName } from './classic/flavours.ts'
import type { SimulatorOptions } from './start-simulator.ts'

export const usage = `Usage: voucher-service simulator [options]

  --port N                       port on 127.0.0.1 (default: a free one)
  --https                        HTTPS with a new self-signed certificate
  --flavour NAME                 console or self-hosted (default: console)
  --path-prefix PATH             serve only the Integration API, below this path, as a cloud connector does
  --site internalReference=Name  a site; may be repeated (default: default=Default)
  --api-key KEY                  the key of the Integration API (default: a random one)
  --username NAME                the administrator of the classic API (default: api)
  --password TEXT                the password of that administrator (default: a random one)
  --hotspot-operator SITE        make the account a hotspot operator of this site (self-hosted only)
  --session-seconds N            how long a sign-in lasts (default: 3600)
  --login-limit N                sign-ins per minute, 0 = no limit (default: 5)
  --help                         show this text
`

/** Throws an Error with a message for the operator. */
export function parseArguments(args: string[]): SimulatorOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '0' },
      https: { type: 'boolean', default: false },
      flavour: { type: 'string', default: 'console' },
      'path-prefix': { type: 'string' },
      site: { type: 'string', multiple: true, default: ['default=Default'] },
      'api-key': { type: 'string' },
      username: { type: 'string' },
      password: { type: 'string' },
      'hotspot-operator': { type: 'string' },
      'session-seconds': { type: 'string', default: '3600' },
      'login-limit': { type: 'string', default: '5' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const { https, username, password, 'api-key': apiKey } = values
  const flavour = readFlavour(values.flavour)
  const sites = readSites(values.site)
  if (apiKey !== undefined && !/^[!-~]+$/.test(apiKey))
    throw new Error('--api-key must consist of printable ASCII characters without spaces')
  if (username === '' || password === '') throw new Error('--username and --password must not be empty')
  return {
    port: readNumber('--port', values.port, [0, 65_535]),
    https,
    flavour,
    pathPrefix: readPathPrefix(values['path-prefix'], flavour),
    sites,
    apiKey,
    username,
    password,
    hotspotSite: readHotspotSite(values['hotspot-operator'], flavour, sites),
    sessionSeconds: readNumber('--session-seconds', values['session-seconds'], [1, 31_536_000]),
    loginLimit: readNumber('--login-limit', values['login-limit'], [0, 1_000_000]),
  }
}

function readNumber(option: string, text: string, [min, max]: [number, number]): number {
  const isWithin = /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max
  if (!isWithin) throw new Error(`${option} must be from ${min} to ${max}`)
  return Number(text)
}

function readFlavour(text: string): FlavourName {
  if (text !== 'console' && text !== 'self-hosted') throw new Error('--flavour must be console or self-hosted')
  return text
}

function readPathPrefix(text: string | undefined, flavour: FlavourName): string | undefined {
  if (text === undefined) return undefined
  if (flavour !== 'console')
    throw new Error('--path-prefix needs --flavour console: a self-hosted application has no Integration API')
  const isPath = /^(\/[\w.~!$&'()*+,;=:@%-]+)+$/.test(text) && !/^\/control(\/|$)/.test(text)
  if (!isPath)
    throw new Error('--path-prefix must look like /v1/connector/consoles/AB12 and must not begin with /control')
  return text
}

function readHotspotSite(
  text: string | undefined,
  flavour: FlavourName,
  sites: { internalReference: string }[],
): string | undefined {
  if (text === undefined) return undefined
  if (flavour !== 'self-hosted') throw new Error('--hotspot-operator needs --flavour self-hosted')
  if (sites.every(({ internalReference }) => internalReference !== text))
    throw new Error(`--hotspot-operator must be the internalReference of a site given with --site: ${text}`)
  return text
}

function readSites(texts: string[]): { internalReference: string; name: string }[] {
  const sites = texts.map((text) => {
    const [, internalReference, name] = /^([^=]+)=(.+)$/s.exec(text) ?? []
    if (!internalReference || !name) throw new Error(`--site must look like internalReference=Name: ${text}`)
    return { internalReference, name }
  })
  const different = new Set(sites.map((site) => site.internalReference))
  if (different.size < sites.length)
    throw new Error('--site: two sites have the same internalReference. Give each site its own')
  return sites
}
