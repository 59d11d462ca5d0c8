import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { BundledPackage } from './bundled-packages.ts'
import type { Manifest } from './release-files.ts'
import { root } from './when-changed.ts'

type LockedPackage = { version?: string; integrity?: string; resolved?: string }

/**
 * The list of the packages in the release as CycloneDX 1.6. `npm sbom` lists what is installed; this list has what the bundles
 * contain, including the packages of the web app.
 */
export function createSbom({ name, version, license }: Manifest, packages: BundledPackage[], time: Date): object {
  const locked = readLockedPackages()
  const components = packages.map((one) => describePackage(one, locked))
  const product = { type: 'application', 'bom-ref': `${name}@${version}`, name, version, licenses: licensesOf(license) }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([product, components]))}`,
    version: 1,
    metadata: { timestamp: time.toISOString(), component: product },
    components,
    dependencies: [{ ref: product['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) }],
  }
}

/** The packages of the lockfile by `name@version`. A package can be there several times. */
function readLockedPackages(): Map<string, LockedPackage> {
  const lock: Record<string, LockedPackage> = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')).packages
  return new Map(
    Object.entries(lock).map(([path, one]) => [`${path.split('node_modules/').at(-1)}@${one.version}`, one]),
  )
}

function describePackage({ name, version, identifier }: BundledPackage, locked: Map<string, LockedPackage>) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const integrity = /^sha512-(.+)$/.exec(locked.get(`${name}@${version}`)?.integrity ?? '')?.[1]
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(identifier && { licenses: licensesOf(identifier) }),
    ...(integrity && { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity, 'base64').toString('hex') }] }),
  }
}

/** The license: an SPDX identifier, or an expression such as `MIT AND ISC`. */
function licensesOf(identifier: string): object[] {
  return identifier.includes(' ') ? [{ expression: identifier }] : [{ license: { id: identifier } }]
}

/** A UUID made from the content, so that the same release always has the same one. */
function uuidOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
