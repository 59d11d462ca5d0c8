import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('when several processes build at once, one of them builds and the others wait for its result', async () => {
  const project = mkdtempSync(join(tmpdir(), 'build-'))
  onFileEnd(() => rmSync(project, { recursive: true }))
  cpSync(join(root, 'build/when-changed.ts'), join(project, 'build/when-changed.ts'))
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'source.txt'), 'new')
  writeFileSync(
    join(project, 'build/build-web.ts'),
    `import { appendFileSync, globSync, readFileSync, writeFileSync } from 'node:fs'
     import { setTimeout as pause } from 'node:timers/promises'
     import { buildWhenChanged, root } from './when-changed.ts'
     await buildWhenChanged('web', ['source.txt'], async (_, folder) => {
       appendFileSync(root + 'builds', 'x')
       await pause(500)
       for (let n = 0; n < 300; n++) writeFileSync(folder + '/' + n, 'new')
     })
     const files = globSync(root + 'dist/web/*').map((file) => readFileSync(file, 'utf8'))
     process.stdout.write(String(files.filter((content) => content === 'new').length))`,
  )
  mkdirSync(join(project, 'dist/web'), { recursive: true })
  for (let n = 0; n < 300; n++) writeFileSync(join(project, 'dist/web', String(n)), 'old')

  const builders = Array.from({ length: 4 }, () =>
    promisify(execFile)(process.execPath, [join(project, 'build/build-web.ts')]),
  )

  expect((await Promise.all(builders)).map(({ stdout }) => stdout)).toEqual(['300', '300', '300', '300'])
  expect(readFileSync(join(project, 'builds'), 'utf8')).toBe('x')
  expect(readdirSync(join(project, 'dist'))).toEqual(['web'])
})
