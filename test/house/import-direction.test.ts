import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const rooms = ['commands', 'http', 'worker', 'domain', 'drivers', 'queue', 'limits', 'db', 'lib'] as const
type Room = (typeof rooms)[number]

/** The arrows of the house. What is not listed here must be refused. */
const allowed: Record<Room, string[]> = {
  commands: ['http', 'worker', 'domain', 'drivers', 'queue', 'db', 'lib'],
  http: ['domain', 'limits', 'lib'],
  worker: ['domain', 'queue', 'limits', 'lib'],
  domain: ['db', 'queue', 'lib'],
  drivers: ['lib'],
  queue: ['db', 'lib'],
  limits: ['db', 'lib'],
  db: ['lib'],
  lib: [],
}

/** Which of these imports Biome refuses when they are planted in a file of that room. */
function refusedIn(room: Room, imports: string[]): string[] {
  return refusedUnder(join('src', room), imports)
}

function refusedUnder(folder: string, imports: string[]): string[] {
  const house = mkdtempSync(join(tmpdir(), 'house-'))
  cpSync(join(root, 'biome.json'), join(house, 'biome.json'))
  mkdirSync(join(house, folder, 'planted'), { recursive: true })
  const lines = imports.map((path, i) => `export { x${i} } from '${path}'\n`)
  writeFileSync(join(house, folder, 'planted', 'planted.ts'), lines.join(''))
  const only = [
    '--only=style/noRestrictedImports',
    '--max-diagnostics=none',
    '--reporter=github',
    '--vcs-enabled=false',
  ]
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/biome'), ['lint', ...only, folder], {
    cwd: house,
    encoding: 'utf8',
  })
  rmSync(house, { recursive: true })
  return imports.filter((_, i) => stdout.includes(`line=${i + 1},`))
}

describe.each(rooms)('%s', (room) => {
  const others = rooms.filter((other) => other !== room)
  const mayNot = others.filter((other) => !allowed[room].includes(other))

  test('imports only from the rooms below it', () => {
    const planted = others.map((other) => `#${other}/some/thing.ts`)

    expect(refusedIn(room, planted)).toEqual(mayNot.map((other) => `#${other}/some/thing.ts`))
  })

  test('names another room, never walks there', () => {
    const walks = others.map((other) => `../../${other}/thing.ts`)

    expect(refusedIn(room, walks)).toEqual(walks)
  })

  test('the wiring is not imported from below', () => {
    const wiring = ['../../main.ts', '../../context.ts', '../../config.ts']

    expect(refusedIn(room, wiring)).toEqual(room === 'commands' ? ['../../main.ts'] : wiring)
  })
})

test('the exceptions: the port of the drivers, the type of a database', () => {
  expect(refusedIn('domain', ['#drivers/driver.ts', '#drivers/registry.ts'])).toEqual(['#drivers/registry.ts'])
  expect(refusedIn('http', ['#drivers/driver.ts', '#db/database.ts', '#db/migrate.ts'])).toEqual(['#db/migrate.ts'])
  expect(refusedIn('worker', ['#db/database.ts', '#db/migrate.ts'])).toEqual(['#db/migrate.ts'])
})

test('the simulator shares nothing with the service', () => {
  const shared = ['../../src/lib/cipher.ts', '#lib/cipher.ts', '../../test/app.ts']

  expect(refusedUnder('simulator', [...shared, '../store/clock.ts', 'node:http'])).toEqual(shared)
})
