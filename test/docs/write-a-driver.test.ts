import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('the skeleton of a driver compiles against the current interface', () => {
  const page = readFileSync(join(root, 'docs/write-a-driver.md'), 'utf8')
  const [, skeleton = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'skeleton-'))
  writeFileSync(join(folder, 'driver.mts'), skeleton.replaceAll("'../", `'${join(root, 'src/drivers')}/`))
  const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')] }
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['driver.mts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })

  expect(skeleton).toContain('export const acme: Driver')
  expect([stdout, status]).toEqual(['', 0])
})
