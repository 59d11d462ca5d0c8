import { parseArgs } from 'node:util'
import type { SimulatorOptions } from './server.ts'

export const usage = `Usage: node simulator/main.ts [options]

  --port N                       port on 127.0.0.1 (default: a free one)
  --api-key KEY                  the key callers must send (default: a random one)
  --site internalReference=Name  a site; may be repeated (default: default=Default)
  --help                         this text
`

/** Throws an Error with a message for the operator. */
export function parseArguments(args: string[]): SimulatorOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '0' },
      'api-key': { type: 'string' },
      site: { type: 'string', multiple: true, default: ['default=Default'] },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const { 'api-key': apiKey } = values
  if (apiKey !== undefined && !/^[!-~]+$/.test(apiKey)) throw new Error('--api-key must be printable, without spaces')
  return { port: readPort(values.port), sites: readSites(values.site), ...(apiKey !== undefined && { apiKey }) }
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error('--port must be from 0 to 65535')
  return Number(text)
}

function readSites(texts: string[]): { internalReference: string; name: string }[] {
  const sites = texts.map((text) => {
    const [, internalReference, name] = /^([^=]+)=(.+)$/s.exec(text) ?? []
    if (!internalReference || !name) throw new Error(`--site must look like internalReference=Name: ${text}`)
    return { internalReference, name }
  })
  const different = new Set(sites.map((site) => site.internalReference))
  if (different.size < sites.length) throw new Error('--site: two sites have the same internalReference')
  return sites
}
