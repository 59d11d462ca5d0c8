import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processEnvironment, testEnvironment } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { program } from '#test/service.ts'

/** The blocks of commands on a page, without the spaces before a block in a list. */
export function shellBlocksOf(page: string): string[] {
  return [...page.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
}

export type ShellRun = { code: number; stdout: string; stderr: string }

/** A folder in which `bash` runs blocks as a person pastes them. There, `voucher-service` is the service of this run. */
export function openShell() {
  const folder = mkdtempSync(join(tmpdir(), 'page-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'voucher-service'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(join(folder, 'voucher-service'), 0o755)

  function run(
    block: string,
    databaseUrl: string,
    variables: Record<string, string>,
    stdin: string,
  ): Promise<ShellRun> {
    const path = `${folder}:${process.env['PATH']}`
    const env = { ...processEnvironment, ...testEnvironment(databaseUrl), ...variables, PATH: path }
    return new Promise((resolve) => {
      const shell = execFile('bash', ['-euc', block], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
      )
      shell.stdin?.end(stdin)
    })
  }

  return { folder, run }
}
