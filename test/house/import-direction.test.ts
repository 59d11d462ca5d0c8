import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { domainFolders, layers } from './layers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sharedWithWeb = ['src/lib/intl-formats.ts', 'src/mail/mail-address.ts']
const wiring = ['main.ts', 'context.ts', 'config.ts']

/** Why a file may not contain this import; undefined when it may. */
function problemOf(file: string, specifier: string): string | undefined {
  const isLocal = specifier.startsWith('.') || specifier.startsWith('#')
  if (dirname(file) === 'client' && !isTest(file))
    return isLocal && dirname(resolve(file, specifier)) === 'client' ? undefined : 'the client has no dependencies'
  if (!isLocal || file.startsWith('client/')) return undefined
  const target = resolve(file, specifier)
  if (file.startsWith('web/'))
    return isTest(file) || /^(web|client|src\/slips)\//.test(target) || sharedWithWeb.includes(target)
      ? undefined
      : 'the web app uses the service only by its API, except for slips, which both draw, and rules that both need'
  if (target.startsWith('web/') && file.startsWith('src/') && !isTest(file)) return 'the service runs without web/'
  if (file.startsWith('simulator/'))
    return target.startsWith('simulator/') ? undefined : 'the simulator shares nothing with the service'
  const [, layer = '', isInFolder] = file.split('/')
  if (isInFolder === undefined) return undefined
  if (!(layer in layers)) return 'this folder is missing in test/house/layers.ts'
  if (target.startsWith('test/')) return isTest(file) ? undefined : 'only tests import from test/'
  if (!target.startsWith('src/')) return undefined
  const path = target.slice('src/'.length)
  const [targetLayer = ''] = path.split('/')
  if (file.startsWith('src/http/errors/') && /^http\/v\d/.test(path)) return 'the catalogue of errors is below the APIs'
  if (targetLayer === layer) return layer === 'domain' && !isTest(file) ? problemInDomain(file, target) : undefined
  const allowed = layers[layer] as string[]
  if (!allowed.includes(targetLayer) && !allowed.includes(path))
    return wiring.includes(path) ? 'the wiring is handed down as an argument' : `${layer} is not above ${targetLayer}`
  if (specifier.startsWith('.') && !wiring.includes(path)) return `between layers write #${path}`
  return undefined
}

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier))
  return specifier.startsWith('#test/') ? specifier.replace('#test', 'test/support') : specifier.replace('#', 'src/')
}

function isTest(file: string): boolean {
  return /\.(test|suite)\.ts$/.test(file)
}

function problemInDomain(file: string, target: string): string | undefined {
  const [from, to] = [file, target].map((path) => path.split('/').slice(2, -1)[0])
  if (from === to || to === undefined) return undefined
  if (from === undefined) return 'the files of src/domain itself are below its folders'
  const [height, targetHeight] = [domainFolders.indexOf(from), domainFolders.indexOf(to)]
  if (height === -1 || targetHeight === -1) return 'this folder is missing in test/house/layers.ts'
  return targetHeight < height ? undefined : `src/domain/${from} is below src/domain/${to}`
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?<![\w/])(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g)].map(
    ([, specifier]) => specifier as string,
  )
}

test('imports only point down', () => {
  const files = globSync('{src,simulator,client,web}/**/*.{ts,tsx}', { cwd: root })
  const problems = files.flatMap((file) =>
    importsOf(readFileSync(join(root, file), 'utf8')).flatMap((specifier) => {
      const problem = problemOf(file, specifier)
      return problem === undefined ? [] : [`${file} imports ${specifier}: ${problem}`]
    }),
  )

  expect(problems).toEqual([])
  expect(files.length).toBeGreaterThan(200)
})

/** Returns those imports that are rejected in this file. */
function rejectedIn(file: string, ...specifiers: string[]): string[] {
  return specifiers.filter((specifier) => problemOf(file, specifier) !== undefined)
}

describe.each(Object.keys(layers))('%s', (layer) => {
  const file = `src/${layer}/planted/planted.ts`
  const others = Object.keys(layers).filter((other) => other !== layer)
  const forbidden = others.filter((other) => !layers[layer]?.includes(other))

  test('imports only the layers below it', () => {
    const planted = others.map((other) => `#${other}/some/thing.ts`)

    expect(rejectedIn(file, ...planted)).toEqual(forbidden.map((other) => `#${other}/some/thing.ts`))
  })

  test('imports another layer by its # name, not by a relative path', () => {
    const walks = others.map((other) => `../../${other}/thing.ts`)

    expect(rejectedIn(file, ...walks)).toEqual(walks)
  })

  test('gets the wiring as an argument', () => {
    const walks = wiring.map((path) => `../../${path}`)
    const named = ['#context.ts', '#config.ts']

    expect(rejectedIn(file, ...walks)).toEqual(layer === 'commands' ? ['../../main.ts'] : walks)
    expect(rejectedIn(file, ...named)).toEqual(layer === 'commands' ? [] : named)
  })

  test('imports nothing from test/, except in tests', () => {
    const support = ['#test/app.ts', '../../../test/support/app.ts']

    expect(rejectedIn(file, ...support)).toEqual(support)
    expect(rejectedIn(file.replace('.ts', '.test.ts'), ...support)).toEqual([])
  })
})

test('some layers may import only single files of drivers and of db', () => {
  expect(rejectedIn('src/domain/a/b.ts', '#drivers/driver.ts', '#drivers/registry.ts')).toEqual([
    '#drivers/registry.ts',
  ])
  expect(rejectedIn('src/http/a.ts', '#drivers/driver.ts', '#db/database.ts', '#db/migrate.ts')).toEqual([
    '#db/migrate.ts',
  ])
  expect(rejectedIn('src/worker/a.ts', '#db/database.ts', '#db/migrate.ts')).toEqual(['#db/migrate.ts'])
})

test('a folder of the domain imports only the folders below it', () => {
  const [lowest, higher] = [`src/domain/${domainFolders[0]}/a.ts`, `src/domain/${domainFolders.at(-1)}/a.ts`]
  const planted = [`../${domainFolders[0]}/b.ts`, `../${domainFolders.at(-1)}/b.ts`, '../errors.ts', '../unlisted/b.ts']

  expect(rejectedIn(lowest, ...planted)).toEqual([planted[1], planted[3]])
  expect(rejectedIn(higher, ...planted)).toEqual([planted[3]])
  expect(rejectedIn('src/domain/errors.ts', './audit/audit.ts', './actor.ts')).toEqual(['./audit/audit.ts'])
})

test('the catalogue of errors imports nothing from the APIs', () => {
  const planted = ['../v2/kit/fields.ts', '../v1/errors.ts', '../server/preferred-language.ts', '#domain/errors.ts']

  expect(rejectedIn('src/http/errors/a.ts', ...planted)).toEqual(planted.slice(0, 2))
})

test('a new layer must be put into the table', () => {
  expect(rejectedIn('src/unlisted/a.ts', './b.ts')).toEqual(['./b.ts'])
})

test('the simulator shares nothing with the service', () => {
  const shared = ['../../src/lib/cipher.ts', '#lib/cipher.ts', '../../test/support/app.ts', '#test/app.ts']

  expect(rejectedIn('simulator/planted/planted.ts', ...shared, '../store/clock.ts', 'node:http')).toEqual(shared)
})

test('the web app imports only itself and the client, and the service does not import it', () => {
  const foreign = ['../../../src/lib/cipher.ts', '#lib/cipher.ts', '#test/app.ts']

  expect(rejectedIn('web/src/pages/planted.tsx', ...foreign, '../api.ts', '../../../client/a.ts', 'react')).toEqual(
    foreign,
  )
  expect(rejectedIn('src/http/web.ts', '../../web/src/router.tsx')).toEqual(['../../web/src/router.tsx'])
})

test('the client has no dependencies, not even Node', () => {
  const foreign = ['node:http', 'undici', '../src/lib/cipher.ts', '#lib/cipher.ts', './generator/generate-types.ts']

  expect(rejectedIn('client/planted.ts', ...foreign, './neighbour.ts')).toEqual(foreign)
})

test.each([
  [`import { a } from '#lib/a.ts'`],
  [`import type { A } from '#lib/a.ts'`],
  [`import {\n  a,\n  b,\n} from '#lib/a.ts'`],
  [`export { a } from '#lib/a.ts'`],
  [`export * from '#lib/a.ts'`],
  [`import '#lib/a.ts'`],
  [`const { a } = await import('#lib/a.ts')`],
  [`const a = await import(\n  '#lib/a.ts'\n)`],
])('the import in %j is found', (text) => {
  expect(importsOf(text)).toEqual(['#lib/a.ts'])
})
