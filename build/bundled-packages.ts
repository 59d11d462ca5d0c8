import { readFileSync } from 'node:fs'
import { pdfiumIdentifier, readPdfiumLicences } from './pdfium-licence.ts'
import { root } from './when-changed.ts'

/** An npm package whose code is in the release. */
export type BundledPackage = { name: string; version: string; identifier?: string; text?: string }

/** The packages in the built service and in the built web app, as Vite found them, and node-forge for the simulator. */
export function listBundledPackages(): BundledPackage[] {
  const built = ['service', 'web'].flatMap((name): BundledPackage[] =>
    JSON.parse(readFileSync(`${root}dist/${name}/.packages.json`, 'utf8')),
  )
  const forge = `${root}node_modules/node-forge`
  const { name, version, license: identifier } = JSON.parse(readFileSync(`${forge}/package.json`, 'utf8'))
  const all = [...built, { name, version, identifier, text: readFileSync(`${forge}/LICENSE`, 'utf8').trim() }]
  const unique = new Map(all.map((one) => [`${one.name}@${one.version}`, withPdfium(withIdentifier(one))]))
  return [...unique.keys()].toSorted().map((key) => unique.get(key) as BundledPackage)
}

function withIdentifier(one: BundledPackage): BundledPackage {
  const identifier = one.identifier ?? identifierOf(one.text)
  return identifier === undefined ? one : { ...one, identifier }
}

function withPdfium(one: BundledPackage): BundledPackage {
  if (one.name !== '@hyzyla/pdfium') return one
  return {
    ...one,
    identifier: `${one.identifier} AND ${pdfiumIdentifier}`,
    text: `${one.text}\n\n${readPdfiumLicences()}`,
  }
}

/** The licence of a package that has its text but does not name it. */
function identifierOf(text: string | undefined): string | undefined {
  return text && /^MIT License$|^Permission is hereby granted, free of charge/m.test(text) ? 'MIT' : undefined
}

/** The notices that the licences of the packages ask for. */
export function describeLicences(packages: BundledPackage[]): string {
  const sections = packages.map(
    ({ name, version, identifier, text }) =>
      `## ${name} ${version}\n\nLicence: ${identifier ?? 'not named'}\n${text ? `\n${text}\n` : ''}`,
  )
  return `# Licences of the packages in this release\n\n${sections.join('\n')}`
}
