import { readFileSync } from 'node:fs'

export function serviceVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
