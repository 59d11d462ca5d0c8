import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { isLong } from '#test/measuring.ts'
import { type Answer, call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startMariaDB, type ToolDatabase } from '#test/php-tool/mariadb.ts'
import { encryptedByTool, encryptLikeTool, hashedByTool, toolAppKey } from '#test/php-tool/secrets.ts'
import { toolDirectory } from '#test/php-tool/server.ts'
import {
  createToolTables,
  seedToolAccess,
  seedToolKey,
  seedToolSetting,
  seedToolSite,
  seedToolTemplate,
  seedToolUser,
} from '#test/php-tool/tables.ts'
import { documented } from './allowed-differences.ts'
import { compareAnswers, type Difference } from './compare-answers.ts'
import { comparedRequests } from './compared-requests.ts'
import { importAll, onConsole, type StartedTool, startBoth, startToolWithController } from './start-both.ts'

const cronToken = 'c0ffee'
const today = () => new Date().toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })

/**
 * Facts about the real tool on which an import relies, and its answers beside ours. It needs the files of the tool:
 * `PHP_TOOL_DIR=… TEST_SIZE=long npx vitest run test/move-in/long`.
 */
describe.skipIf(!isLong || toolDirectory === undefined)('the PHP tool', () => {
  describe('its record', () => {
    let started: StartedTool
    let key: string
    beforeAll(async () => {
      started = await startToolWithController()
      const { db, controller } = started
      await seedToolSite(db, onConsole(controller))
      await seedToolSite(db, { ...onConsole(controller), name: 'Lobby', site_id: 'a1b2c3d4' })
      key = (await seedToolKey(db)).key
      await seedToolSetting(db, 'cron_token', cronToken)
    })

    /** A site of its own on the console, so that tests do not see each other's rows. */
    const newSite = (site_id = 'default') => seedToolSite(started.db, { ...onConsole(started.controller), site_id })
    const create = (body: object) => createOnTool(started, key, body)
    const rowsOf = (siteId: number) =>
      started.db.query('select * from vouchers where site_id = ? order by id', [siteId])
    const sync = () => started.tool.runScript('cron_sync.php', cronToken)

    test('our tables have the columns, types and defaults of those of the tool', async () => {
      const server = await startMariaDB()
      const [ours, theirs] = [await server.createDatabase('ours'), await server.createDatabase('theirs')]

      await createToolTables(ours)
      await theirs.query(readFileSync(join(toolDirectory ?? '', 'database.sql'), 'utf8'))

      expect(await columnsOf(ours)).toEqual(await columnsOf(theirs))
    })

    test('the tool decrypts what we encrypt, and the stored examples are its own', async () => {
      const { db, controller } = started
      const password = encryptLikeTool(toolAppKey, controller.login.password)
      const siteId = await seedToolSite(db, { ...onConsole(controller), unifi_password: password })
      const decrypt = `define('APP_KEY', $argv[1]); require $argv[2]; echo Crypto::decrypt($argv[3]);`
      const script = join(toolDirectory ?? '', 'includes/Crypto.php')

      for (const { text, encrypted } of encryptedByTool)
        expect(execFileSync('php', ['-r', decrypt, toolAppKey, script, encrypted], { encoding: 'utf8' })).toBe(text)
      expect((await create({ site_id: siteId, name: 'Gast' })).status).toBe(201)
    })

    test('a creation through the API has a code without a dash, no person and no end', async () => {
      const siteId = await newSite()

      const answer = await create({
        site_id: siteId,
        name: ' Zimmer 12 ',
        qos: { down: 5000, up: 1000, quota_mb: 100 },
      })

      const [made] = (await started.controller.vouchers()).filter(({ code }) => code === answer.json().code)
      expect(made).toMatchObject({ name: `${today()}_Zimmer 12`, rxRateLimitKbps: 5000, dataUsageLimitMBytes: 100 })
      expect(await rowsOf(siteId)).toEqual([
        {
          id: expect.any(Number),
          site_id: siteId,
          user_id: null,
          voucher_code: expect.stringMatching(/^\d{10}$/),
          voucher_name: `${today()}_Zimmer 12`,
          max_uses: 1,
          expire_minutes: 480,
          created_at: expect.any(String),
          unifi_voucher_id: expect.stringMatching(/^[\da-f]{24}$/),
          status: 'valid',
          used_count: 0,
          expires_at: null,
          synced_from_unifi: 0,
          last_sync: null,
        },
      ])
    })

    test('a creation through the web form has the person and a code without a dash', async () => {
      const { db } = started
      const siteId = await newSite()
      const userId = await seedToolUser(db, { email: 'anna@example.com', password_hash: hashedByTool.hash })
      await seedToolAccess(db, userId, siteId)
      await seedToolTemplate(db)

      const page = await createInForm(started, siteId)

      const [row] = await rowsOf(siteId)
      expect(row).toMatchObject({ user_id: userId, voucher_name: `${today()}_Empfang`, max_uses: 2, expires_at: null })
      expect(row.voucher_code).toMatch(/^\d{10}$/)
      expect(page.text).toContain(row.voucher_code.replace(/^(.{5})/, '$1-')) // people see a dash
    })

    test('the tool signs in to the controller for every creation', async () => {
      const siteId = await newSite()
      const before = (await started.controller.signIns()).length

      for (const name of ['a', 'b', 'c']) await create({ site_id: siteId, name })

      expect(await started.controller.signIns()).toHaveLength(before + 3)
    })

    test('the tool accepts an unknown certificate, but only for the host that it names', async () => {
      const { db, controller } = started
      const otherHost = await startForwarder('127.0.0.2', Number(new URL(controller.url).port))
      const site = { ...onConsole(controller), unifi_controller_url: `https://${otherHost}` }

      const answer = await create({ site_id: await seedToolSite(db, site), name: 'Gast' })

      expect(answer.status).toBe(500)
      expect(answer.json()).toEqual({ error: 'server_error', message: 'Login fehlgeschlagen: HTTP 0' })
    })

    test('a sync counts the time from the creation, and adds vouchers of the controller with a dash', async () => {
      const siteId = await newSite('a1b2c3d4')
      const { controller } = started
      const answers = [
        await create({ site_id: siteId, name: 'einmal' }),
        await create({ site_id: siteId, name: 'nie' }),
      ]
      await create({ site_id: siteId, name: 'zweimal', max_uses: 2 })
      const [used, unused, twice] = await rowsOf(siteId)
      expect(answers.map((answer) => answer.json().code)).toEqual([used.voucher_code, unused.voucher_code])
      await controller.redeem(used.voucher_code)
      await controller.redeem(twice.voucher_code)
      await controller.addVoucher({ internalReference: 'a1b2c3d4', timeLimitMinutes: 60 })

      await sync()

      const [afterUse, afterNothing, afterOne, added] = await rowsOf(siteId)
      expect(afterUse).toMatchObject({
        status: 'used',
        used_count: 1,
        synced_from_unifi: 0,
        voucher_code: used.voucher_code,
      })
      expect(afterOne).toMatchObject({ status: 'valid', used_count: 1 })
      expect(afterNothing).toMatchObject({ status: 'valid', used_count: 0, expires_at: expect.any(String) })
      expect(afterUse.created_at).toBe(used.created_at)
      expect(added).toMatchObject({
        voucher_code: expect.stringMatching(/^\d{5}-\d{5}$/),
        voucher_name: 'Importiert aus UniFi', // the controller has no name for it
        max_uses: 0, // without a limit
        expire_minutes: 60,
        user_id: null,
        status: 'valid',
        synced_from_unifi: 1,
      })
    })

    test('two sites with the same site of a controller get each other’s vouchers from a sync', async () => {
      const [one, other] = [await newSite(), await newSite()]
      const { code } = (await create({ site_id: one, name: 'doppelt' })).json()

      await sync()

      const codesOf = async (siteId: number) => (await rowsOf(siteId)).map((row: any) => row.voucher_code)
      expect(await codesOf(one)).toContain(code)
      expect(await codesOf(other)).toContain(code.replace(/^(.{5})/, '$1-'))
    })

    test('a sync marks a deleted voucher as expired, except when the controller has no voucher left', async () => {
      const started = await startToolWithController()
      const siteId = await seedToolSite(started.db, onConsole(started.controller))
      const { key } = await seedToolKey(started.db)
      await seedToolSetting(started.db, 'cron_token', cronToken)
      const codes = []
      for (const name of ['a', 'b'])
        codes.push((await createOnTool(started, key, { site_id: siteId, name })).json().code)
      const statuses = async () => {
        await started.tool.runScript('cron_sync.php', cronToken)
        return (await started.db.query('select status from vouchers order by id')).map((row: any) => row.status)
      }

      await started.controller.deleteVoucher(codes[0])
      expect(await statuses()).toEqual(['expired', 'valid'])

      await started.controller.deleteVoucher(codes[1])
      expect(await statuses()).toEqual(['expired', 'valid'])
    })

    test('creations with the same name in one second share a voucher of the controller', async () => {
      const siteId = await newSite('a1b2c3d4')
      await started.controller.clock({ frozen: true })

      const answers = await Promise.all(Array.from({ length: 12 }, () => create({ site_id: siteId, name: 'Gruppe' })))

      await started.controller.clock({ frozen: false })
      const rows = await rowsOf(siteId)
      const different = new Set(rows.map((row: any) => row.unifi_voucher_id)).size
      const made = (await started.controller.vouchers()).filter(({ name }) => name.endsWith('_Gruppe'))
      expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201))
      expect(rows).toHaveLength(12)
      expect(made).toHaveLength(12)
      expect(different).toBeLessThan(12)

      await sync()
      const after = await rowsOf(siteId)
      const added = after.filter((row: any) => row.voucher_name.endsWith('_Gruppe') && row.synced_from_unifi === 1)
      expect(added).toHaveLength(12 - different)
      // Of several rows with one voucher, a sync finds only the first.
      const synced = after.filter((row: any) => row.last_sync !== null && row.synced_from_unifi === 0)
      expect(synced).toHaveLength(different)
    })

    test('a name that is too long leaves a voucher on the controller that stops every later sync of the site', async () => {
      const started = await startToolWithController()
      const siteId = await seedToolSite(started.db, onConsole(started.controller))
      const { key } = await seedToolKey(started.db)
      await seedToolSetting(started.db, 'cron_token', cronToken)

      const answer = await createOnTool(started, key, { site_id: siteId, name: 'x'.repeat(245) })

      expect(answer.status).toBe(500)
      expect(await started.db.query('select id from vouchers')).toEqual([])
      expect(await started.controller.vouchers()).toHaveLength(1)
      expect(await started.tool.runScript('cron_sync.php', cronToken)).toContain(
        "Data too long for column 'voucher_name'",
      )
    })

    test('an encrypted secret of a second factor does not fit into its column', async () => {
      const user = { totp_secret: encryptLikeTool(toolAppKey, 'A'.repeat(16)) } // the tool makes 16 letters

      await expect(seedToolUser(started.db, user)).rejects.toThrow("Data too long for column 'totp_secret'")
    })
  })

  /**
   * A creation is stored with the time of MariaDB. A sync stores the wall clock of PHP, here that of Berlin, which MariaDB
   * reads in its own time zone. `offBy` is the resulting error in hours: in winter, in summer, and for the hour that comes twice.
   */
  test.each([
    { timeZone: '+00:00', offBy: { winter: 1, summer: 2, firstOfTwo: 2, secondOfTwo: 1 } },
    { timeZone: '+01:00', offBy: { winter: 0, summer: 1, firstOfTwo: 1, secondOfTwo: 0 } },
    { timeZone: 'Europe/Berlin', offBy: { winter: 0, summer: 0, firstOfTwo: 1, secondOfTwo: 0 } },
  ])('times with MariaDB in $timeZone', async ({ timeZone, offBy }) => {
    const started = await startToolWithController(timeZone)
    const { db, tool, controller } = started
    const siteId = await seedToolSite(db, onConsole(controller))
    const { key } = await seedToolKey(db)
    await seedToolSetting(db, 'cron_token', cronToken)
    const created = {
      winter: '2026-01-15T12:00:00Z',
      summer: '2026-07-15T12:00:00Z',
      firstOfTwo: '2026-10-25T00:30:00Z',
      secondOfTwo: '2026-10-25T01:30:00Z',
    }
    await insertHistory(controller.url, created)
    const before = Date.now()
    await createOnTool(started, key, { site_id: siteId, name: 'jetzt' })

    await tool.runScript('cron_sync.php', cronToken)

    const rows = await db.query(
      `select voucher_name name, unix_timestamp(created_at) created, unix_timestamp(expires_at) expires from vouchers`,
    )
    const hoursAfter = (seconds: number, iso: string) => (seconds * 1000 - Date.parse(iso)) / 3_600_000
    const synced = rows.filter(({ name }: any) => name in created)
    expect(
      Object.fromEntries(synced.map((row: any) => [row.name, hoursAfter(row.created, (created as any)[row.name])])),
    ).toEqual(offBy)

    const now = rows.find(({ name }: any) => name.endsWith('_jetzt'))
    expect(Math.abs(now.created * 1000 - before)).toBeLessThan(5_000)
    // The same row: the creation has the right time, and its end is off like that of a voucher of the controller.
    const berlinMinusServer = berlinOffsetHours() - (await serverOffsetHours(db))
    expect(Math.abs(now.expires - now.created - 8 * 3600 - berlinMinusServer * 3600)).toBeLessThan(5)

    // The import gets every time right, but for the hour that comes twice: PHP's clock shows the same for both.
    const imported = await createTestDatabase()
    await importAll(imported.url, db, [`${controller.url} ${controller.fingerprint}`])
    const { rows: ours } = await imported.query('select name, created_at, expires_at from vouchers')
    const timeOf = (wanted: string) => ours.find(({ name }) => name === wanted)?.['created_at']
    expect(timeOf('winter')).toEqual(new Date(created.winter))
    expect(timeOf('summer')).toEqual(new Date(created.summer))
    expect([new Date(created.firstOfTwo), new Date(created.secondOfTwo)]).toContainEqual(timeOf('firstOfTwo'))
    expect(Math.abs(timeOf('jetzt').getTime() - before)).toBeLessThan(5_000)
  })

  test('the answers differ from ours only where it is documented', async () => {
    const { toolUrl, ourUrl, keys } = await startBoth()

    const differences = await compareAnswers(toolUrl, ourUrl, comparedRequests(keys))

    const docs = readFileSync(new URL('../../../docs/api-v1.md', import.meta.url), 'utf8').replace(/\s+/g, ' ')
    for (const { words } of documented) expect(docs).toContain(words)
    expect(
      differences.filter((difference) => !documented.some(({ applies }) => applies(difference))).map(short),
    ).toEqual([])
    expect(documented.filter(({ applies }) => !differences.some(applies))).toEqual([])

    // The creations above that only one of them accepted, and the names that they write differently.
    const names = differences.find(({ at }) => at === 'vouchers[]') as { tool: string[]; ours: string[] } | undefined
    expect(names?.tool.toSorted()).toEqual(namesOnlyOfTheTool.toSorted())
    expect(names?.ours.toSorted()).toEqual(namesOnlyOfOurs.toSorted())
  })
})

/** Most of them are of creations that only the tool accepts. */
const namesOnlyOfTheTool = [
  '1', // true
  '1.0E+25',
  '1.2345678901235E+19',
  ...Array(4).fill('Array'),
  'INF',
  ...['\n', '\t', '\u0000', '\u001b'].map((letter) => `Zim${letter}mer`),
  ...['\u007f', '\u0085', '\u202e'].map((letter) => `Zim${letter}mer`),
  '\fZimmer',
  '\u00a0',
  '\u00a0Zimmer\u00a0',
  '\u200b',
  '\u3000',
  '\ufeff',
]
const namesOnlyOfOurs = ['12345678901234567000', '1e+25', 'Zimmer', 'Zimmer']

const short = ({ request, at, tool, ours }: Difference) => ({ title: request.title, at, tool, ours })

function createOnTool({ tool }: StartedTool, key: string, body: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}` }
  return call(`${tool.url}/api/vouchers.php`, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Forwards connections to another address of this machine, which is not in the certificate. */
async function startForwarder(host: string, port: number): Promise<string> {
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
    client.pipe(upstream).pipe(client)
  }).listen(0, host)
  await once(server, 'listening')
  onFileEnd(() => server.close())
  return `${host}:${(server.address() as AddressInfo).port}`
}

/** Signs in as the person of the test and creates a voucher in the form. Returns the page with the voucher. */
async function createInForm({ tool }: StartedTool, siteId: number): Promise<Answer> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (path: string, fields: Record<string, string>, headers = {}) =>
    call(`${tool.url}/${path}`, {
      method: 'POST',
      headers: { ...form, ...headers },
      body: new URLSearchParams(fields).toString(),
    })
  const signedIn = await post('login.php', { email: 'anna@example.com', password: hashedByTool.password })
  const cookie = String(signedIn.headers['set-cookie']?.at(-1)).split(';')[0] as string
  const page = await call(`${tool.url}/index.php`, { headers: { cookie } })
  const token = /name="csrf_token" value="(\w+)"/.exec(page.text)?.[1] ?? ''
  const wanted = { site_id: String(siteId), voucher_name: 'Empfang', max_uses: '2', expire_minutes: '60' }
  return post('index.php', { ...wanted, csrf_token: token, create_voucher: '1' }, { cookie })
}

/** Vouchers that were created on the controller at these times, each with the name of its time. */
async function insertHistory(controllerUrl: string, created: Record<string, string>): Promise<void> {
  const vouchers = Object.entries(created).map(([name, createdAt], i) => ({
    code: `111112222${i}`,
    name,
    timeLimitMinutes: 60,
    createdAt,
  }))
  const body = JSON.stringify({ internalReference: 'default', vouchers })
  const answer = await call(`${controllerUrl}/control/history`, { method: 'POST', trustAnyone: true, body })
  expect(answer.status).toBeLessThan(300)
}

async function columnsOf({ query, name }: ToolDatabase): Promise<unknown> {
  return query(
    `select table_name, column_name, column_type, is_nullable, column_default, extra, collation_name
       from information_schema.columns where table_schema = ? order by table_name, column_name`,
    [name],
  )
}

function berlinOffsetHours(): number {
  const now = new Date()
  const hourIn = (timeZone: string) =>
    Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(now))
  return (hourIn('Europe/Berlin') - hourIn('UTC') + 24) % 24
}

async function serverOffsetHours({ query }: ToolDatabase): Promise<number> {
  const [{ hours }] = await query('select timestampdiff(hour, utc_timestamp(), now()) hours')
  return hours
}
