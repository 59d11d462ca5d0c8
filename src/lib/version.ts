import { readFileSync } from 'node:fs'

/** The version of this service, as in package.json. */
export function serviceVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
