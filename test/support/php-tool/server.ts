import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort, isListening } from '../data/local-servers.ts'
import { onFileEnd } from '../on-file-end.ts'
import type { MariaDB, ToolDatabase } from './mariadb.ts'
import { toolAppKey } from './secrets.ts'

/** The directory of the real tool, outside this project. Undefined: the tests around it are skipped. */
export const toolDirectory = process.env['PHP_TOOL_DIR']

export type PhpTool = {
  /** The address of its web pages; the API is below `/api`. */
  url: string
  appKey: string
  /** Runs a script of the tool as cron does. Returns what it prints. */
  runScript(name: string, ...args: string[]): Promise<string>
  /** The errors of PHP and nginx so far. */
  readLogs(): string
  stop(): Promise<void>
}

/** Starts a copy of the real tool with php-fpm and nginx on free ports. Its database must have the tables already. */
export async function startPhpTool(server: MariaDB, database: ToolDatabase): Promise<PhpTool> {
  if (toolDirectory === undefined) throw new Error('PHP_TOOL_DIR is missing: the directory with the files of the tool')
  const folder = mkdtempSync(join(tmpdir(), 'php-tool-'))
  const [webPort, fpmPort] = [await freePort(), await freePort()]
  cpSync(toolDirectory, join(folder, 'tool'), { recursive: true })
  writeFileSync(join(folder, 'tool/config.php'), configuration(server, database))
  writeFileSync(join(folder, 'fpm.conf'), fpmConfiguration(folder, fpmPort))
  writeFileSync(join(folder, 'nginx.conf'), nginxConfiguration(folder, { webPort, fpmPort }))

  const settings = ['-d', `sys_temp_dir=${folder}`, '-d', `session.save_path=${folder}`]
  const programs = [
    spawn(fpmProgram(), ['--nodaemonize', '--allow-to-run-as-root', '--fpm-config', `${folder}/fpm.conf`, ...settings]),
    spawn('/usr/sbin/nginx', ['-e', `${folder}/nginx.log`, '-c', `${folder}/nginx.conf`]),
  ]
  let printed = ''
  for (const { stdout, stderr } of programs)
    for (const output of [stdout, stderr]) output.on('data', (text) => (printed += text))
  const readLogs = () =>
    [printed, ...globSync(join(folder, '*.log')).map((path) => readFileSync(path, 'utf8'))].join('\n')

  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= endAll(programs).then(() => rmSync(folder, { recursive: true })))
  onFileEnd(stop)
  for (const port of [fpmPort, webPort]) {
    while (!(await isListening(port))) {
      if (programs.some(({ exitCode }) => exitCode !== null)) throw new Error(`The tool ended:\n${readLogs()}`)
      await pause(50)
    }
  }
  return {
    url: `http://127.0.0.1:${webPort}`,
    appKey: toolAppKey,
    async runScript(name, ...args) {
      const script = join(folder, 'tool', name)
      return (await promisify(execFile)('php', [...settings, script, ...args])).stdout
    },
    readLogs,
    stop,
  }
}

/** The tool has no setting for the port of its database, but it writes the name of the host into the address as it is. */
function configuration({ port, user, password }: MariaDB, { name }: ToolDatabase): string {
  return `<?php
define('DB_HOST', '127.0.0.1;port=${port}');
define('DB_NAME', '${name}');
define('DB_USER', '${user}');
define('DB_PASS', '${password}');
define('APP_KEY', '${toolAppKey}');
define('SESSION_LIFETIME', 3600);
date_default_timezone_set('Europe/Berlin');
`
}

function fpmProgram(): string {
  const [newest] = globSync('/usr/sbin/php-fpm*').toSorted().toReversed()
  if (newest === undefined) throw new Error('php-fpm is not installed: run TEST_SIZE=long .ci/services')
  return newest
}

function fpmConfiguration(folder: string, port: number): string {
  const { username } = userInfo()
  return `[global]
error_log = ${folder}/fpm.log
[tool]
user = ${username}
group = ${username}
listen = 127.0.0.1:${port}
pm = static
pm.max_children = 8
catch_workers_output = yes
`
}

/** Like the image of the tool: PHP answers \`*.php\`, also with a path behind the name. */
function nginxConfiguration(folder: string, { webPort, fpmPort }: { webPort: number; fpmPort: number }): string {
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`)
  return `daemon off; user ${userInfo().username}; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
events {}
http {
  access_log off;
  ${own.join(' ')}
  server {
    listen 127.0.0.1:${webPort};
    root ${folder}/tool;
    index index.php;
    location ~ \\.php(/|$) {
      include /etc/nginx/fastcgi_params;
      fastcgi_split_path_info ^(.+?\\.php)(/.*)$;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_param PATH_INFO $fastcgi_path_info;
      fastcgi_pass 127.0.0.1:${fpmPort};
    }
  }
}
`
}

async function endAll(programs: ChildProcess[]): Promise<void> {
  for (const program of programs) {
    if (program.exitCode !== null || program.signalCode !== null) continue
    const ended = once(program, 'exit')
    program.kill('SIGTERM')
    await ended
  }
}
